import { webcrypto } from 'node:crypto';
import type { Logger } from 'pino';
import type { Caller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { invalidField, notFound } from '../../errors.ts';
import type { Slice } from '../../lib/slice.ts';
import { type ContentName, type PictureRef, picturePath, type Variant } from './address.ts';
import { MAX_PICTURE_BYTES, type Picture } from './contract.ts';
import * as queries from './queries.ts';
import { pictureTypeOf } from './resizing/content-type.ts';
import type { Resizer } from './resizing/resizer.ts';
import { newPicturesOf, type PictureStores, storeNamed } from './stores/store.ts';

const DAY_MS = 86_400_000;
/** How long a picture is kept that no product uses, such as one uploaded for a form that was never saved. */
const UNUSED_MS = DAY_MS;
const SLICE = 20;
const TRY_AGAIN_MS = 3_600_000;

export interface PicturesDeps {
  db: Db;
  stores: PictureStores;
  resizer: Resizer;
  maxBytes: number;
  origin: () => string;
}

export { linkPictures, relinkPictures } from './links.ts';

export type PicturesService = ReturnType<typeof createPicturesService>;

/** Pictures of products and of the media library: uploaded, resized, stored, and served under addresses whose content never changes. */
export function createPicturesService({ db, stores, resizer, maxBytes, origin }: PicturesDeps) {
  const store = newPicturesOf(stores);

  /** Bytes to store, which need not be pictures. */
  interface Content {
    kind: 'picture' | 'file';
    hash: string;
    width: number | null;
    height: number | null;
    contents: { name: ContentName; content: Buffer }[];
  }

  function record(companyId: number, { id, hash, width, height }: queries.PictureRow): Picture {
    const urlOf = (variant: Variant): string => origin() + picturePath({ companyId, id, hash }, variant);
    const variants = { thumb: urlOf('thumb'), medium: urlOf('medium'), large: urlOf('large') };
    return { id, url: variants.large, width, height, variants };
  }

  /** Simultaneous uploads of one company may exceed the limit together, by one picture each. */
  async function checkRoom(companyId: number, wanted: number): Promise<void> {
    const { bytes } = await queries.sumPictures(db.lists(companyId), companyId);
    if (bytes + wanted <= maxBytes) return;
    const most = Math.round(maxBytes / 2 ** 20).toLocaleString('en');
    throw invalidField('picture', `Pictures of this company may take ${most} MiB, which are used up`, 'quota');
  }

  /** Throws validation_failed, rate_limited. */
  async function resized(companyId: number, bytes: Buffer, hash: string): Promise<Content> {
    const { width, height, variants } = await resizer.resize(bytes, companyId);
    const contents = variants.map(({ variant, content }) => ({ name: variant, content }));
    return { kind: 'picture', hash, width, height, contents };
  }

  /** Stores the contents of a record that is not shown yet, and returns its id. Throws validation_failed. */
  async function put({ companyId, now }: Caller, { contents, ...rest }: Content, title = ''): Promise<number> {
    const size = contents.reduce((sum, { content }) => sum + content.length, 0);
    await checkRoom(companyId, size);
    const picture = { ...rest, bytes: size, title, storedIn: store.name, deleteAfter: unusedAfter(now), now };
    // Inserted before its bytes are stored: whatever happens then, they are found and removed.
    const id = await queries.insertPicture(db.writes(companyId), companyId, picture);
    for (const { name, content } of contents) await store.put({ companyId, pictureId: id, name }, content);
    return id;
  }

  const unusedAfter = (now: Date): Date => new Date(now.getTime() + UNUSED_MS);
  const gone = (id: number): Error => new Error(`Picture ${id} was removed while it was stored`);

  return {
    /** The same bytes return the same picture. Throws validation_failed, rate_limited. */
    async upload(caller: Caller, bytes: Buffer): Promise<Picture> {
      const { companyId, now } = caller;
      if (pictureTypeOf(bytes) === null) {
        throw invalidField('picture', 'The file must be a JPEG, PNG, WebP, GIF or AVIF picture', 'wrong_format');
      }
      const hash = await hashOf(bytes);
      const known = await queries.reusePicture(db.writes(companyId), companyId, hash, unusedAfter(now));
      if (known !== undefined) return write(db, caller, () => Promise.resolve(record(companyId, known)));
      await checkRoom(companyId, 0);
      const content = await resized(companyId, bytes, hash);
      const id = await put(caller, content);
      // The picture is not shown before this.
      return write(db, caller, async (tx) => {
        if (!(await queries.markReady(tx, companyId, id))) throw gone(id);
        return record(companyId, { id, hash, width: content.width!, height: content.height! });
      });
    },

    /**
     * Adds a picture or a PDF file to the media library: the same bytes are the same record, which `read` returns by its id. Throws
     * validation_failed, rate_limited.
     */
    async keep<Kept>(
      caller: Caller,
      bytes: Buffer,
      title: string,
      read: (tx: Tx, id: number, isNew: boolean) => Promise<Kept>,
    ): Promise<Kept> {
      const { companyId, now } = caller;
      const isPicture = pictureTypeOf(bytes) !== null;
      if (!isPicture && !bytes.subarray(0, 5).equals(PDF)) {
        throw invalidField(
          'file',
          'The file must be a JPEG, PNG, WebP, GIF or AVIF picture, or a PDF file',
          'wrong_format',
        );
      }
      if (isPicture && bytes.length > MAX_PICTURE_BYTES) {
        throw invalidField('file', 'A picture has at most 10 MiB', 'too_large');
      }
      const hash = await hashOf(bytes);
      const known = await queries.reusePicture(db.writes(companyId), companyId, hash, unusedAfter(now));
      if (known === undefined) await checkRoom(companyId, 0);
      const id =
        known?.id ??
        (await put(caller, isPicture ? await resized(companyId, bytes, hash) : fileOf(bytes, hash), title));
      return write(db, caller, async (tx) => {
        const isNew = known === undefined;
        if (!(await queries.keepPicture(tx, companyId, id, { title, isNew }))) throw gone(id);
        return read(tx, id, isNew);
      });
    },

    async usage(companyId: number): Promise<{ pictures: number; bytes: number; max_bytes: number }> {
      return { ...(await queries.sumPictures(db.lists(companyId), companyId)), max_bytes: maxBytes };
    },

    /** Returns the bytes of a variant, to anybody: only a picture that exists uses the company's own share. Throws not_found. */
    async read(ref: PictureRef & { name: ContentName }): Promise<Buffer> {
      const { companyId, id, name } = ref;
      const stored = await queries.findStored(db.strangers, companyId, ref);
      const content =
        stored === undefined
          ? null
          : await storeNamed(stores, stored.stored_in).get({ companyId, pictureId: id, name });
      if (content === null) throw notFound('picture');
      return content;
    },

    /** The same in pieces, for a file, which may be large. Throws not_found. */
    async readFile(ref: PictureRef): Promise<{ bytes: number; pieces: AsyncIterable<Buffer> }> {
      const stored = await queries.findStored(db.strangers, ref.companyId, ref);
      if (stored?.kind !== 'file') throw notFound('file');
      const key = { companyId: ref.companyId, pictureId: ref.id, name: 'file' } as const;
      return { bytes: stored.bytes, pieces: storeNamed(stores, stored.stored_in).pieces(key) };
    },

    /** Whether a picture still exists: it may have been deleted since its bytes were read. */
    async exists(ref: PictureRef): Promise<boolean> {
      return (await queries.findStored(db.strangers, ref.companyId, ref)) !== undefined;
    },
  };
}

const PDF = Buffer.from('%PDF-');

function fileOf(bytes: Buffer, hash: string) {
  return {
    kind: 'file' as const,
    hash,
    width: null,
    height: null,
    contents: [{ name: 'file' as const, content: bytes }],
  };
}

/** Runs outside of the event loop's thread. */
async function hashOf(bytes: Buffer): Promise<string> {
  const digest = await webcrypto.subtle.digest(
    'SHA-256',
    new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length),
  );
  return Buffer.from(digest).toString('hex', 0, 16);
}

/** Removes pictures that nothing has shown for their time, and remains of failed uploads. */
export function removeOldPictures(deps: { db: Db; stores: PictureStores; clock: Clock; log: Logger }): Slice<number> {
  const { db, stores, clock, log } = deps;
  return async () => {
    const now = clock.now();
    const due = await queries.takeDue(db, now, new Date(now.getTime() + TRY_AGAIN_MS), SLICE);
    let done = 0;
    for (const { company_id, id, stored_in } of due) {
      try {
        await storeNamed(stores, stored_in).remove(company_id, id);
        await queries.deletePicture(db, company_id, id);
        done++;
      } catch (error) {
        log.warn({ err: error, company_id, picture: id }, 'a picture could not be removed: it is tried again');
      }
    }
    return { done, next: due.length === SLICE ? done : null };
  };
}
