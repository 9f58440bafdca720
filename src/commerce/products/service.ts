import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import { constraintOf, type Db, type Tx } from '../../db/pool.ts';
import { AppError, found } from '../../errors.ts';
import { type Page, pageOf, partOf } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { sortOf } from '../../lib/sorting.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import * as stock from '../inventory/stock.ts';
import { minorPerMajor } from '../money.ts';
import { linkPictures } from '../pictures/service.ts';
import type { ShopCache } from '../shop.ts';
import { setArchived } from './bulk-queries.ts';
import type { Inventory, ProductInput, ProductPatch, ProductQuery } from './contract.ts';
import { NEW_PRODUCT, productValues } from './fields.ts';
import { findProductJson, findProductsJson } from './json-queries.ts';
import { listProducts, type ProductFilters, type ProductSort, searchOf, walkProducts } from './list-queries.ts';
import * as queries from './queries.ts';
import { createProductReader } from './reader.ts';
import type { RelatedQuery } from './related/contract.ts';
import { findRelated } from './related/queries.ts';
import { findFree, parseRef, slugify } from './slug.ts';
import * as slugs from './slug-queries.ts';

export { countListed, nextListed } from './bulk-queries.ts';
export { PRODUCT_COLUMNS, type ProductFields } from './fields.ts';
export { createProductHistoryService } from './history.ts';
export {
  checkImportedProducts,
  removeImportedProducts,
  restoreImportedProduct,
  writeImportedProducts,
} from './imported/imported.ts';
export { stockOf } from './imported/plan.ts';
export { categorySlug, isSlug } from './slug.ts';

interface ProductsDeps {
  db: Db;
  shops: ShopCache;
  origin: () => string;
}

export type ProductsService = ReturnType<typeof createProductsService>;

/** Products with their stock and categories. Responses are JSON made by PostgreSQL (see json-queries.ts). */
export function createProductsService({ db, shops, origin }: ProductsDeps) {
  const reader = createProductReader(db);
  return {
    /** Finds a product by id or slug. Throws not_found. */
    async getProduct(companyId: number, ref: string): Promise<RawJson> {
      return reader.get(await shops.get(companyId), ref);
    },

    /** Ordered by `sort`, either without archived products or only those. The total is exact. */
    async listProducts(companyId: number, query: ProductQuery): Promise<Page> {
      const lane = db.lists(companyId);
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const filters = filtersOf(query);
      const divisor = minorPerMajor(shop.exponent);
      const sort = productSort(query, filters);
      return { ...(await listProducts(lane, companyId, { ...filters, sort }, page, divisor)), ...page };
    },

    /** Yields the whole list, in pages. */
    async *productsInOrder(companyId: number, query: ProductQuery): AsyncGenerator<Page> {
      const { exponent } = await shops.get(companyId);
      const filters = filtersOf(query);
      const sorted = { ...filters, sort: productSort(query, filters) };
      const divisor = minorPerMajor(exponent);
      for await (const rows of walkProducts(db.lists(companyId), companyId, sorted, divisor)) yield partOf<never>(rows);
    },

    /** Returns what is bought with a product (by id or slug), and its categories' best sellers. Throws not_found. */
    async listRelated(companyId: number, ref: string, query: RelatedQuery): Promise<Page> {
      const lane = db.lists(companyId);
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const ids = found(await findRelated(lane, companyId, parseRef(ref), query.limit ?? 8), 'product');
      const shown = ids.slice(page.skip, page.skip + page.take);
      const products = await findProductsJson(lane, companyId, shown, minorPerMajor(shop.exponent));
      const rows = products.filter((product) => product !== undefined);
      return { rows, total: ids.length, ...page };
    },

    /** Finds the stock by the product's id or slug. Throws not_found. */
    async getInventory(companyId: number, ref: string): Promise<Inventory> {
      const row = found(await stock.findStock(db.points(companyId), companyId, parseRef(ref)), 'product');
      return { ...row, in_stock: row.stock_qty > 0 };
    },

    /** Creates a product with its stock, first stock movement and first price. Throws validation_failed, duplicate. */
    async createProduct(caller: Caller, input: ProductInput): Promise<RawJson> {
      const { companyId, actor, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const qty = input.stock_qty ?? 0;
        const values = { ...productValues(input, shop, NEW_PRODUCT), inStock: qty > 0 };
        if (input.slug === undefined) values.slug = await freeSlug(tx, companyId, slugify(input.name));
        else await slugs.lockSlugs(tx, companyId, 'given');
        const id = await checkUnique(() => queries.insertProduct(tx, companyId, values, now));
        if (values.categories.length > 0) await queries.setCategories(tx, companyId, id, values.categories, now);
        await linkPictures(tx, caller, id, { before: [], after: values.images, origin: origin() });
        await stock.createStock(tx, companyId, [{ productId: id, qty }], { actor, now });
        const change = { productId: id, oldPrice: null, newPrice: values.price, actor, now };
        await queries.insertPriceChange(tx, companyId, change);
        return (await findProductJson(tx, companyId, id, minorPerMajor(shop.exponent)))!;
      });
    },

    /**
     * Sets the fields that are given. A new price is added to the price history, a new stock becomes a stock movement.
     * Throws not_found, revision_mismatch, validation_failed, duplicate.
     */
    async updateProduct(
      caller: Caller,
      ref: string,
      patch: ProductPatch,
      ifMatch: IfMatch | null = null,
    ): Promise<RawJson> {
      const { companyId, actor, now } = caller;
      const shop = await shops.get(companyId);
      return write(db, caller, async (tx) => {
        const old = found(await queries.lockProduct(tx, companyId, parseRef(ref)), 'product');
        requireRevision(ifMatch, old.revision);
        const values = productValues(patch, shop, old);
        const archivedAt =
          patch.archived === undefined ? old.archived_at : patch.archived ? (old.archived_at ?? now) : null;
        if (values.slug !== old.slug) await slugs.lockSlugs(tx, companyId, 'given');
        await checkUnique(() => queries.updateProduct(tx, companyId, old.id, { ...values, archivedAt }, now));
        if (patch.categories !== undefined) await queries.setCategories(tx, companyId, old.id, values.categories, now);
        if (patch.images !== undefined) {
          await linkPictures(tx, caller, old.id, { before: old.images, after: values.images, origin: origin() });
        }
        if (values.price !== old.price) {
          const change = { productId: old.id, oldPrice: old.price, newPrice: values.price, actor, now };
          await queries.insertPriceChange(tx, companyId, change);
        }
        const delta = (patch.stock_qty ?? old.stock_qty) - old.stock_qty;
        if (delta !== 0) {
          await stock.adjustStock(tx, companyId, [{ productId: old.id, delta }], { reason: null, actor, now });
        }
        return (await findProductJson(tx, companyId, old.id, minorPerMajor(shop.exponent)))!;
      });
    },
  };
}

function filtersOf(query: ProductQuery): ProductFilters {
  return {
    category: query.category,
    search: searchOf(query.search),
    inStock: query.in_stock,
    subscriptionEnabled: query.subscription_enabled,
    archived: query.archived,
  };
}

/** Sorting by relevance falls back to sorting by age if there is no search. */
function productSort({ sort }: ProductQuery, { search }: ProductFilters): ProductSort {
  if (sort !== 'relevance') return sortOf(sort);
  return search.words.length === 0 ? sortOf(undefined) : { key: 'relevance', direction: 'desc' };
}

/** Returns a free slug. The lock lasts until COMMIT, so that two products never get the same one. */
async function freeSlug(tx: Tx, companyId: number, base: string): Promise<string> {
  await slugs.lockSlugs(tx, companyId, 'generated');
  return findFree(base, (asked) => slugs.findTakenSlugs(tx, companyId, asked));
}

/** Runs an insert or update. Throws duplicate where another product has this slug or SKU. */
async function checkUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const field = { products_company_id_slug_key: 'slug', products_sku: 'sku' }[constraintOf(error)];
    if (field === undefined) throw error;
    throw new AppError('duplicate', `Another product has this ${field}`, { field });
  }
}

/** Archives a product, in the caller's transaction. Throws not_found. */
export async function archiveProduct(tx: Tx, { companyId, now }: Caller, id: number): Promise<void> {
  // Every change of a product locks its stock first.
  found(await queries.lockProduct(tx, companyId, id), 'product');
  await setArchived(tx, companyId, id, true, now);
}

/** Restores an archived product, in the caller's transaction. Throws not_found. */
export async function restoreProduct(tx: Tx, { companyId, now }: Caller, id: number): Promise<void> {
  found(await queries.lockProduct(tx, companyId, id), 'product');
  await setArchived(tx, companyId, id, false, now);
}
