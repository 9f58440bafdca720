import { webcrypto } from 'node:crypto';
import type { Logger } from 'pino';
import type { Caller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { invalidField, notFound } from '../../errors.ts';
import type { Slice } from '../../lib/slice.ts';
import { type PictureRef, picturePath, type Variant } from './address.ts';
import type { Picture } from './contract.ts';
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

/** Pictures of products: uploaded, resized, stored, and served under addresses whose content never changes. */
export function createPicturesService({ db, stores, resizer, maxBytes, origin }: PicturesDeps) {
  const store = newPicturesOf(stores);

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

  return {
    /** The same bytes return the same picture. Throws validation_failed, rate_limited. */
    async upload(caller: Caller, bytes: Buffer): Promise<Picture> {
      const { companyId, now } = caller;
      if (pictureTypeOf(bytes) === null) {
        throw invalidField('picture', 'The file must be a JPEG, PNG, WebP, GIF or AVIF picture', 'wrong_format');
      }
      const hash = await hashOf(bytes);
      const deleteAfter = new Date(now.getTime() + UNUSED_MS);
      const known = await queries.reusePicture(db.writes(companyId), companyId, hash, deleteAfter);
      if (known !== undefined) return write(db, caller, () => Promise.resolve(record(companyId, known)));
      await checkRoom(companyId, 0);
      const { width, height, variants } = await resizer.resize(bytes, companyId);
      const size = variants.reduce((sum, { content }) => sum + content.length, 0);
      await checkRoom(companyId, size);
      const picture = { hash, width, height, bytes: size, storedIn: store.name, deleteAfter, now };
      // Inserted before its bytes are stored: whatever happens then, they are found and removed.
      const id = await queries.insertPicture(db.writes(companyId), companyId, picture);
      for (const { variant, content } of variants) await store.put({ companyId, pictureId: id, variant }, content);
      // The picture is not shown before this.
      return write(db, caller, async (tx) => {
        if (!(await queries.markReady(tx, companyId, id)))
          throw new Error(`Picture ${id} was removed while it was stored`);
        return record(companyId, { id, hash, width, height });
      });
    },

    async usage(companyId: number): Promise<{ pictures: number; bytes: number; max_bytes: number }> {
      return { ...(await queries.sumPictures(db.lists(companyId), companyId)), max_bytes: maxBytes };
    },

    /** Returns the bytes of a variant, to anybody: only a picture that exists uses the company's own share. Throws not_found. */
    async read(ref: PictureRef & { variant: Variant }): Promise<Buffer> {
      const { companyId, id, variant } = ref;
      const storedIn = await queries.findStored(db.strangers, companyId, ref);
      const content =
        storedIn === undefined ? null : await storeNamed(stores, storedIn).get({ companyId, pictureId: id, variant });
      if (content === null) throw notFound('picture');
      return content;
    },
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
