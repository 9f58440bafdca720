import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { AppError, type FieldError, found, invalidField, validationFailed } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import type { RawJson } from '../../../lib/raw-json.ts';
import { updateMemberships } from '../../collections/member-queries.ts';
import { lockedContext, valueContext } from '../../custom-fields/context.ts';
import { minorPerMajor } from '../../money.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { changeAlone, type ProductChanges } from '../change.ts';
import type { ProductOption, VariantInput } from '../contract.ts';
import { keepFacets } from '../facets/keep-queries.ts';
import { searchTextOf } from '../fields.ts';
import { findProductJson, findProductsJson } from '../json-queries.ts';
import { MAX_VARIANTS } from '../kinds.ts';
import { clearCodes, lockProduct, lockProducts, type ProductRow } from '../queries.ts';
import { parseRef } from '../slug.ts';
import { lockSlugs } from '../slug-queries.ts';
import type {
  ChangedOptions,
  GenerateVariants,
  GroupProducts,
  NewVariants,
  ProductsPatch,
  Ungrouped,
  VariantQuery,
} from './contract.ts';
import { insertVariants, readVariants } from './create.ts';
import { allCombinations, combinationOf, countCombinations } from './options.ts';
import * as queries from './queries.ts';
import { groupProducts, setProductOptions, ungroupProduct } from './structure.ts';

export type VariantsService = ReturnType<typeof createVariantsService>;

/** Variants of products, and changes of several products at once. */
export function createVariantsService({ db, shops, origin }: { db: Db; shops: ShopCache; origin: () => string }) {
  async function shown(tx: Tx, { companyId }: Caller, ids: number[], shop: Shop): Promise<RawJson[]> {
    const rows = await findProductsJson(tx, companyId, ids, minorPerMajor(shop.exponent));
    return rows.map((row) => found(row, 'product'));
  }

  return {
    /** By position. Throws not_found. */
    async listVariants(companyId: number, ref: string, { archived, ...query }: VariantQuery): Promise<Page> {
      const shop = await shops.get(companyId);
      const lane = db.lists(companyId);
      const parent = found(await queries.findId(lane, companyId, parseRef(ref)), 'product');
      const page = pageOf(query);
      const { total, ids } = await queries.listVariantIds(lane, companyId, parent, { ...page, archived });
      const rows = await findProductsJson(lane, companyId, ids, minorPerMajor(shop.exponent));
      return { rows: rows.filter((row) => row !== undefined), total, ...page };
    },

    /** Adds variants to a parent, all or none. Throws not_found, not_a_parent, validation_failed, duplicate. */
    async createVariants(caller: Caller, ref: string, { variants }: NewVariants): Promise<RawJson[]> {
      const shop = await shops.get(caller.companyId);
      return write(db, caller, async (tx) => {
        const custom = await valueContext(
          tx,
          shop,
          variants.map((variant) => variant.custom),
        );
        const parent = await lockParent(tx, caller, ref);
        const ids = await addVariants({ tx, caller, shop, origin: origin(), custom }, parent, variants);
        return shown(tx, caller, ids, shop);
      });
    },

    /**
     * Adds a variant for each combination of option values that no variant has; with `dry_run`, returns them without creating any. Throws
     * not_found, not_a_parent, validation_failed.
     */
    async generateVariants(
      caller: Caller,
      ref: string,
      { dry_run: isDry = false, ...own }: GenerateVariants,
    ): Promise<{ products: RawJson[]; created: boolean }> {
      const shop = await shops.get(caller.companyId);
      async function generate(tx: Tx): Promise<RawJson[]> {
        const custom = await valueContext(tx, shop, [own.custom]);
        const parent = await lockParent(tx, caller, ref);
        const taken = new Set(parent.variants.map(({ options }) => combinationOf(options)));
        if (countCombinations(parent.options) > MAX_VARIANTS) throw tooMany('options');
        const missing = allCombinations(parent.options).filter((one) => !taken.has(combinationOf(one)));
        const variants = missing.map((options) => ({ ...own, options }));
        const ids = await addVariants({ tx, caller, shop, origin: origin(), custom }, parent, variants);
        return shown(tx, caller, ids, shop);
      }
      return write(db, caller, async (tx) => ({
        products: await (isDry ? undone(tx, generate) : generate(tx)),
        created: !isDry,
      }));
    },

    /** See `setProductOptions`. */
    async setOptions(caller: Caller, ref: string, body: ChangedOptions): Promise<RawJson> {
      const shop = await shops.get(caller.companyId);
      return write(db, caller, async (tx) => {
        const custom = await lockedContext(tx, shop);
        const id = await setProductOptions({ tx, caller, shop, origin: origin(), custom }, ref, body);
        return found(await findProductJson(tx, caller.companyId, id, minorPerMajor(shop.exponent)), 'product');
      });
    },

    /** See `groupProducts`. */
    async group(caller: Caller, body: GroupProducts): Promise<RawJson> {
      const shop = await shops.get(caller.companyId);
      return write(db, caller, async (tx) => {
        const custom = await lockedContext(tx, shop, [body.custom]);
        const id = await groupProducts({ tx, caller, shop, origin: origin(), custom }, body);
        return found(await findProductJson(tx, caller.companyId, id, minorPerMajor(shop.exponent)), 'product');
      });
    },

    /** See `ungroupProduct`. */
    async ungroup(caller: Caller, ref: string): Promise<Ungrouped> {
      const shop = await shops.get(caller.companyId);
      return write(db, caller, async (tx) => {
        const custom = await lockedContext(tx, shop);
        const { id, productIds } = await ungroupProduct({ tx, caller, shop, origin: origin(), custom }, ref);
        return { id, deleted: true, product_ids: productIds };
      });
    },

    /** Changes several products, all or none. Throws validation_failed, duplicate, each with the index of the product. */
    async updateProducts(caller: Caller, { products: patches }: ProductsPatch): Promise<RawJson[]> {
      const shop = await shops.get(caller.companyId);
      const ids = patches.map(({ id }) => id);
      const twice = ids.findIndex((id, i) => ids.indexOf(id) !== i);
      if (twice !== -1) throw invalidField(`products.${twice}.id`, 'The product is named twice', 'duplicate');
      return write(db, caller, async (tx) => {
        const custom = await valueContext(
          tx,
          shop,
          patches.map((patch) => patch.custom),
        );
        const changes = { tx, caller, shop, origin: origin(), custom };
        if (patches.some(({ slug }) => slug !== undefined)) await lockSlugs(tx, caller.companyId, 'given');
        // The stock of all before the first of them changes, as orders lock it.
        await lockProducts(tx, caller.companyId, ids);
        await clearCodes(tx, caller.companyId, patches);
        const parents = new Set<number>();
        const faceted: number[] = [];
        for (const [i, patch] of patches.entries()) {
          const { id, parent, hasOtherFacets } = await at(`products.${i}`, () => changeAlone(changes, patch.id, patch));
          if (parent !== null) parents.add(parent);
          if (hasOtherFacets) faceted.push(id);
        }
        for (const parent of [...parents].sort((a, b) => a - b)) {
          await queries.updateParent(tx, caller.companyId, parent);
        }
        await keepFacets(tx, caller.companyId, faceted);
        await updateMemberships(tx, caller.companyId, ids);
        return shown(tx, caller, ids, shop);
      });
    },
  };
}

interface Parent extends ProductRow {
  options: ProductOption[];
  variants: queries.VariantRow[];
}

/** For a change that generates slugs, whose lock precedes those of stock, as in imports. Throws not_found, not_a_parent. */
async function lockParent(tx: Tx, { companyId }: Caller, ref: string): Promise<Parent> {
  await lockSlugs(tx, companyId, 'generated');
  const row = found(await lockProduct(tx, companyId, parseRef(ref)), 'product');
  if (row.variant_count === 0) {
    throw new AppError('not_a_parent', 'The product has no variants', { product_id: row.id });
  }
  return {
    ...row,
    options: row.options as ProductOption[],
    variants: await queries.findVariants(tx, companyId, row.id),
  };
}

async function addVariants(changes: ProductChanges, parent: Parent, given: readonly VariantInput[]): Promise<number[]> {
  const { tx, caller } = changes;
  const { companyId } = caller;
  if (parent.variants.length + given.length > MAX_VARIANTS) throw tooMany('variants');
  if (given.length === 0) return [];
  const taken = new Set(
    parent.variants.filter(({ archived }) => !archived).map(({ options }) => combinationOf(options)),
  );
  const options = parent.options.map(({ name, values }) => ({ name, values: [...values] }));
  const errors: FieldError[] = [];
  const read = readVariants(changes, given, { options, taken, defaults: parent }, errors);
  if (errors.length > 0) throw validationFailed(errors);
  await queries.setOptions(tx, companyId, parent.id, { options, search: searchTextOf(parent, options) });
  const ids = await insertVariants(changes, parent, read, parent.variants.at(-1)?.position ?? 0);
  await queries.updateParent(tx, companyId, parent.id);
  await keepFacets(tx, companyId, [parent.id]);
  await updateMemberships(tx, companyId, [parent.id]);
  return ids;
}

function tooMany(field: string): AppError {
  return invalidField(field, `A product has at most ${MAX_VARIANTS} variants`, 'out_of_range');
}

/** Carries the result of work that is undone out of its savepoint. */
class Undone<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('The work is undone on purpose');
    this.result = result;
  }
}

/** Returns the result of the work, which is undone. */
async function undone<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await tx.savepoint(async () => {
      throw new Undone(await work(tx));
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}

/** Runs a change of one of several products; the fields of its errors begin with `place`. */
async function at<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found')
      throw invalidField(`${place}.id`, `${place}.id refers to an unknown product`, 'unknown');
    const { fields, field } = error.details as { fields?: FieldError[]; field?: string };
    if (fields !== undefined) {
      throw validationFailed(
        fields.map((one) => ({ ...one, field: `${place}.${one.field}`, message: `${place}.${one.message}` })),
      );
    }
    if (field !== undefined)
      throw new AppError(error.code, error.message, { ...error.details, field: `${place}.${field}` });
    throw error;
  }
}
