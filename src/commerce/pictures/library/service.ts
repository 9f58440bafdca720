import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { AppError, found, invalidField } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { type IfMatch, requireRevision } from '../../../lib/validation/revision.ts';
import { updateMemberships } from '../../collections/member-queries.ts';
import { findMediaFields, removeMediaValues } from '../../custom-fields/media-queries.ts';
import { lockDefinitions } from '../../custom-fields/queries.ts';
import { picturePath, VARIANT_NAMES, type Variant } from '../address.ts';
import type { PicturesService } from '../service.ts';
import type { Media, MediaLink, MediaPatch, MediaQuery } from './contract.ts';
import * as queries from './queries.ts';

/** Products, and collections, from which a deleted record is removed, in one transaction. */
const MOST_SHOWING = 10_000;

export interface MediaDeps {
  db: Db;
  pictures: Pick<PicturesService, 'keep'>;
  origin: () => string;
}

export type MediaService = ReturnType<typeof createMediaService>;

/** The media library: pictures, PDF files and links that are kept until they are deleted. */
export function createMediaService({ db, pictures, origin }: MediaDeps) {
  function record(companyId: number, row: queries.MediaRow): Media {
    const { hash, link, focal_x, focal_y, created_at, kind, ...shown } = row;
    const urlOf = (name: Variant | 'file'): string =>
      origin() + picturePath({ companyId, id: row.id, hash: hash! }, name);
    const variants =
      kind === 'picture'
        ? (Object.fromEntries(VARIANT_NAMES.map((name) => [name, urlOf(name)])) as Record<Variant, string>)
        : null;
    return {
      ...shown,
      kind,
      url: variants?.large ?? link ?? urlOf('file'),
      variants,
      focal_point: focal_x === null || focal_y === null ? null : { x: focal_x, y: focal_y },
      created_at: created_at.toISOString(),
    };
  }

  async function readIn(lane: Queryable, companyId: number, id: number): Promise<Media> {
    return record(companyId, found(await find(lane, companyId, id), 'media'));
  }

  async function find(lane: Queryable, companyId: number, id: number): Promise<queries.MediaRow | undefined> {
    return queries.findMedia(lane, companyId, id, await findMediaFields(lane, companyId));
  }

  /** Of a record that the transaction adds: nothing shows it. */
  async function addedIn(tx: Tx, companyId: number, id: number): Promise<Media> {
    return record(companyId, { ...found(await queries.lockMedia(tx, companyId, id), 'media'), used_in: [] });
  }

  return {
    /** Newest first. */
    async listMedia(companyId: number, query: MediaQuery): Promise<Page<Media>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const fields = await findMediaFields(lane, companyId);
      const [total, rows] = await Promise.all([
        queries.countMedia(lane, companyId, query, fields),
        queries.listMedia(lane, companyId, query, fields, page),
      ]);
      return { rows: rows.map((row) => record(companyId, row)), total, ...page };
    },

    /** Throws not_found. */
    getMedia: (companyId: number, id: number) => readIn(db.points(companyId), companyId, id),

    /** Returns the pictures with these ids that there are. */
    async findPictures(companyId: number, ids: readonly number[]): Promise<Map<number, Pick<Media, 'url' | 'alt'>>> {
      if (ids.length === 0) return new Map();
      const rows = await queries.findMediaWithin(db.lists(companyId), companyId, ids);
      const shown = rows.map((row) => record(companyId, { ...row, used_in: [] }));
      return new Map(shown.map(({ id, url, alt }) => [id, { url, alt }]));
    },

    /** Adds a picture or a PDF file. Throws validation_failed, rate_limited. */
    addFile(caller: Caller, bytes: Buffer, title = ''): Promise<Media> {
      const { companyId } = caller;
      return pictures.keep(caller, bytes, title, (tx, id, isNew) => (isNew ? addedIn : readIn)(tx, companyId, id));
    },

    /** Throws validation_failed. */
    async addLink(caller: Caller, { url, title = '' }: MediaLink): Promise<Media> {
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
        throw invalidField('url', 'url must be an HTTP or HTTPS address', 'wrong_format');
      }
      const { companyId, now } = caller;
      return write(db, caller, async (tx) =>
        addedIn(tx, companyId, await queries.insertLink(tx, companyId, { url, title, now })),
      );
    },

    /** Sets the fields that are given. Throws not_found, revision_mismatch. */
    async updateMedia(caller: Caller, id: number, patch: MediaPatch, ifMatch: IfMatch | null): Promise<Media> {
      const { companyId } = caller;
      const shown = await find(db.points(companyId), companyId, id);
      return write(db, caller, async (tx) => {
        const old = found(await queries.lockMedia(tx, companyId, id), 'media');
        requireRevision(ifMatch, old.revision);
        const { focal_point: focal = pointOf(old) } = patch;
        await queries.updateMedia(tx, companyId, id, {
          title: patch.title ?? old.title,
          alt: patch.alt ?? old.alt,
          tags: patch.tags ?? old.tags,
          focal_x: focal?.x ?? null,
          focal_y: focal?.y ?? null,
        });
        const row = found(await queries.lockMedia(tx, companyId, id), 'media');
        return record(companyId, { ...row, used_in: shown?.used_in ?? [] });
      });
    },

    /** Returns the deleted record. Throws not_found, and in_use while a record shows it; with `force` only if more than 10,000 do. */
    async deleteMedia(caller: Caller, id: number, force: boolean): Promise<Media> {
      const { companyId, now } = caller;
      const shown = await find(db.points(companyId), companyId, id);
      return write(db, caller, async (tx) => {
        if (!force) refuseUsed(shown?.used_in ?? []);
        const fields = await findMediaFields(tx, companyId);
        // From here on, no other transaction stores a value that shows the record.
        if (fields.length > 0) await lockDefinitions(tx, companyId);
        // What shows it before the record, as its changes lock them.
        const productIds = force ? await queries.lockProductsShowing(tx, companyId, id, fields, MOST_SHOWING) : [];
        const collectionIds = force
          ? await queries.lockCollectionsShowing(tx, companyId, id, fields, MOST_SHOWING)
          : [];
        const of = Object.groupBy(fields, ({ on }) => (on === 'collection' ? 'collections' : 'products'));
        await removeMediaValues(tx, companyId, of.products ?? [], { id, ids: productIds, now });
        await removeMediaValues(tx, companyId, of.collections ?? [], { id, ids: collectionIds, now });
        await queries.removeFromCollections(tx, companyId, { id, ids: collectionIds, now });
        // Rules of collections may be on custom fields.
        if (fields.length > 0) await updateMemberships(tx, companyId, productIds);
        const old = found(await queries.lockMedia(tx, companyId, id), 'media');
        if (productIds.length > 0 && old.kind === 'picture') {
          const path = picturePath({ companyId, id, hash: old.hash! }, 'large').replace('large.webp', '');
          await queries.removeFromProducts(tx, companyId, { id, path, productIds, now });
        }
        refuseUsed((await queries.findMedia(tx, companyId, id, fields))!.used_in);
        await queries.hideMedia(tx, companyId, id, now);
        return record(companyId, { ...old, used_in: shown?.used_in ?? [] });
      });
    },
  };
}

function pointOf({ focal_x, focal_y }: Pick<queries.MediaRow, 'focal_x' | 'focal_y'>): Media['focal_point'] {
  return focal_x === null || focal_y === null ? null : { x: focal_x, y: focal_y };
}

/** Throws in_use. */
function refuseUsed(uses: Media['used_in']): void {
  const [use] = uses;
  if (use === undefined) return;
  const ids = (kind: typeof use.kind) => uses.filter((one) => one.kind === kind).map((one) => one.id);
  throw new AppError('in_use', `${use.kind === 'product' ? 'Product' : 'Collection'} ${use.id} shows it`, {
    product_ids: ids('product'),
    collection_ids: ids('collection'),
  });
}
