import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import { constraintOf, type Db, type Tx } from '../../db/pool.ts';
import { withinMs } from '../../db/time-limit.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { type Page, pageOf, partOf } from '../../lib/paging.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import type { RuleGroup } from '../../rules/language.ts';
import { checkRoom } from '../configuration.ts';
import { lockedContext, valueContext } from '../custom-fields/context.ts';
import { mergeCustom, type ValueContext } from '../custom-fields/values.ts';
import { keepInLibrary } from '../pictures/library/queries.ts';
import { findFree, parseRef, slugify } from '../products/slug.ts';
import { findPromosOfCollection } from '../promotions/queries.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type {
  Collection,
  CollectionInput,
  CollectionPatch,
  CollectionProducts,
  CollectionQuery,
  RulesToCount,
} from './contract.ts';
import * as members from './member-queries.ts';
import * as queries from './queries.ts';
import { checkProductRules, refreshOf } from './rules.ts';
import { beginUpdates } from './update-queries.ts';

/** Each change of a product evaluates all of them. */
const MAX_RULE_COLLECTIONS = 500;
/** Promo codes that an error names. */
const MAX_NAMED = 100;
/** How long the products that rules select are counted. */
const COUNT_MS = 3_000;

export type CollectionsService = ReturnType<typeof createCollectionsService>;

/** Collections of products: lists by staff, and rules. Who changes products calls `updateMemberships` (member-queries.ts). */
export function createCollectionsService({ db, shops }: { db: Db; shops: ShopCache }) {
  return {
    /** Newest first. */
    async listCollections(
      companyId: number,
      query: CollectionQuery & queries.CollectionFilters,
    ): Promise<Page<Collection> & { rows: Collection[] }> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countCollections(lane, companyId, query),
        queries.listCollections(lane, companyId, query, page),
      ]);
      return { rows: rows.map(recordOf), total, ...page };
    },

    /** Yields the whole list, in pages. */
    async *collectionsInOrder(companyId: number, { kind }: CollectionQuery): AsyncGenerator<Page<Collection>> {
      for await (const rows of queries.walkCollections(db.lists(companyId), companyId, kind))
        yield partOf(rows.map(recordOf));
    },

    /** Finds a collection by id or slug. Throws not_found. */
    async getCollection(companyId: number, ref: string): Promise<Collection> {
      const lane = db.points(companyId);
      const row = found(await queries.findCollection(lane, companyId, refOf(ref)), 'collection');
      if (row.kind === 'rules') return recordOf(row);
      return { ...recordOf(row), product_ids: await members.findMembers(lane, companyId, row.id) };
    },

    /** Throws validation_failed, duplicate. */
    async createCollection(caller: Caller, input: CollectionInput): Promise<Collection> {
      const { companyId, now } = caller;
      const {
        kind,
        slug,
        rules = null,
        sort = kind === 'manual' ? 'manual' : 'newest',
        custom: given,
        ...texts
      } = input;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const context = await contextOf(tx, shop, given, rules);
        const errors: FieldError[] = [];
        const custom = mergeCustom(context, 'collection', given, null, errors);
        const values = { ...NEW_COLLECTION, ...texts, kind, rules, sort, custom };
        check(values, rules, context, errors);
        await queries.lockNewCollections(tx, companyId);
        if (kind === 'rules') {
          checkRoom(
            await queries.countCollections(tx, companyId, { kind }),
            MAX_RULE_COLLECTIONS,
            'collections with rules',
          );
        }
        const taken = (asked: string[]) => queries.findTakenSlugs(tx, companyId, asked);
        await checkImage(tx, companyId, values.image_media_id);
        const free = slug ?? (await findFree(slugify(values.name, 'collection'), taken));
        const times = { now, refreshAt: refreshOf(rules, now) };
        return recordOf(
          await checkUnique(() => queries.insertCollection(tx, companyId, { ...values, slug: free }, times)),
        );
      });
    },

    /** Sets the fields that are given. Throws not_found, revision_mismatch, validation_failed, duplicate. */
    async updateCollection(
      caller: Caller,
      ref: string,
      patch: CollectionPatch,
      ifMatch: IfMatch | null,
    ): Promise<Collection> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const context = await contextOf(tx, shop, patch.custom, patch.rules);
        const old = found(await queries.lockCollection(tx, companyId, refOf(ref)), 'collection');
        requireRevision(ifMatch, old.revision);
        const { slug, name, description, image_media_id, kind, rules, sort, seo_title, seo_description } = old;
        const errors: FieldError[] = [];
        const custom = mergeCustom(context, 'collection', patch.custom, old.custom, errors);
        const values = {
          slug,
          name,
          description,
          image_media_id,
          kind,
          rules,
          sort,
          seo_title,
          seo_description,
          ...patch,
          custom,
        };
        check(values, patch.rules ?? null, context, errors);
        if (values.image_media_id !== image_media_id) await checkImage(tx, companyId, values.image_media_id);
        if (values.rules !== null && !isDeepStrictEqual(values.rules, rules)) {
          await beginUpdates(tx, companyId, [{ id: old.id, refreshAt: refreshOf(values.rules, now) }], now);
        }
        return recordOf(await checkUnique(() => queries.updateCollection(tx, companyId, old.id, values, now)));
      });
    },

    /** Sets the products of a manual collection. Throws not_found, revision_mismatch, validation_failed. */
    async setProducts(
      caller: Caller,
      ref: string,
      { product_ids: ids }: CollectionProducts,
      ifMatch: IfMatch | null,
    ): Promise<Collection> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const { id } = found(await queries.findCollection(tx, companyId, refOf(ref)), 'collection');
        const known = await members.lockMembers(tx, companyId, ids);
        const collection = found(await queries.lockCollection(tx, companyId, id), 'collection');
        requireRevision(ifMatch, collection.revision);
        if (collection.kind === 'rules') {
          throw invalidField('product_ids', 'The rules of this collection select its products', 'not_allowed');
        }
        checkProducts(ids, known);
        await members.setMembers(tx, companyId, id, ids);
        await queries.touchCollection(tx, companyId, id, now);
        return { ...recordOf((await queries.findCollection(tx, companyId, id))!), product_ids: ids };
      });
    },

    /** Returns the deleted collection. Throws not_found, and in_use while promo codes name it. */
    async deleteCollection(caller: Caller, ref: string): Promise<Collection> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        const row = found(await queries.lockCollection(tx, companyId, refOf(ref), 'for update'), 'collection');
        const promos = await findPromosOfCollection(tx, companyId, row.id, { now: caller.now, limit: MAX_NAMED });
        if (promos.length > 0) {
          throw new AppError('in_use', `The promo code ${promos[0]!.code} is for this collection`, {
            promo_code_ids: promos.map((promo) => promo.id),
          });
        }
        await queries.deleteCollection(tx, companyId, row.id);
        return recordOf(row);
      });
    },

    /** Counts the products that rules select; null where it takes too long. Throws validation_failed. */
    async countRules({ companyId, now }: Caller, { rules }: RulesToCount): Promise<{ count: number | null }> {
      const { exponent, customFields: fields } = await shops.get(companyId);
      const errors = checkProductRules(rules, 'rules', fields);
      if (errors.length > 0) throw validationFailed(errors);
      const count = await db
        .lists(companyId)
        .tenantTx(companyId, (tx) =>
          withinMs(tx, COUNT_MS, () =>
            members.countSelected(tx, companyId, { rules, rules_at: now, exponent, fields }),
          ),
        );
      return { count: count ?? null };
    },
  };
}

const NEW_COLLECTION = { description: '', image_media_id: null, seo_title: null, seo_description: null };

function refOf(ref: string): number | string {
  return parseRef(ref, 'collection');
}

/** What values and rules are checked against: rules on custom fields keep the definitions as they are, as values do. */
function contextOf(
  tx: Tx,
  shop: Shop,
  custom: Readonly<Record<string, unknown>> | undefined,
  rules: RuleGroup | null | undefined,
): Promise<ValueContext> {
  // The rules are not checked yet.
  const isNeeded = JSON.stringify(rules ?? null).includes('"custom.');
  return isNeeded ? lockedContext(tx, shop, [custom]) : valueContext(tx, shop, [custom]);
}

/** Throws validation_failed with the errors found before, and its own. `given` are the rules to be checked. */
function check(
  { kind, rules, sort }: Pick<queries.CollectionValues, 'kind' | 'rules' | 'sort'>,
  given: RuleGroup | null,
  { fields }: ValueContext,
  errors: FieldError[],
): void {
  if (kind === 'manual' && rules !== null) {
    errors.push({ field: 'rules', code: 'not_allowed', message: 'rules are for collections of the kind rules' });
  }
  if (kind === 'rules' && rules === null)
    errors.push({ field: 'rules', code: 'required', message: 'rules is required' });
  if (kind === 'rules' && sort === 'manual') {
    errors.push({ field: 'sort', code: 'not_allowed', message: 'sort manual is for collections of the kind manual' });
  }
  if (kind === 'rules' && given !== null) errors.push(...checkProductRules(given, 'rules', fields));
  if (errors.length > 0) throw validationFailed(errors);
}

/** Keeps the picture in the library. Throws validation_failed if it does not exist. */
async function checkImage(tx: Tx, companyId: number, id: number | null): Promise<void> {
  if (id === null || (await keepInLibrary(tx, companyId, id))) return;
  throw invalidField('image_media_id', 'image_media_id refers to no picture of the media library', 'unknown');
}

/** Throws validation_failed for products that are listed twice, unknown, or variants. */
function checkProducts(ids: readonly number[], known: ReadonlyMap<number, { isVariant: boolean }>): void {
  const seen = new Set<number>();
  const errors = ids.flatMap((id, i): FieldError[] => {
    const field = `product_ids.${i}`;
    const isTwice = seen.has(id);
    seen.add(id);
    if (isTwice) return [{ field, code: 'duplicate', message: `${field} occurs twice` }];
    const product = known.get(id);
    if (product === undefined) return [{ field, code: 'unknown', message: `${field} refers to an unknown product` }];
    return product.isVariant ? [{ field, code: 'not_allowed', message: `${field} must not be a variant` }] : [];
  });
  if (errors.length > 0) throw validationFailed(errors);
}

/** Throws duplicate where another collection has the slug. */
async function checkUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) !== 'collections_company_id_slug_key') throw error;
    throw new AppError('duplicate', 'Another collection has this slug', { field: 'slug' });
  }
}

function recordOf({ updating, created_at, updated_at, ...row }: queries.CollectionRow): Collection {
  return {
    ...row,
    status: updating ? 'updating' : 'ready',
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
