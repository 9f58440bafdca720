import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { type Page, pageOf, partOf } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { sortOf } from '../../lib/sorting.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import type { CollectionSort } from '../collections/contract.ts';
import { findCollectionOrders, updateMemberships } from '../collections/member-queries.ts';
import { valueContext } from '../custom-fields/context.ts';
import * as stock from '../inventory/stock.ts';
import { minorPerMajor } from '../money.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { setArchived } from './bulk-queries.ts';
import { changeProduct } from './change.ts';
import type { Facet, Inventory, ProductInput, ProductPatch, ProductQuery } from './contract.ts';
import { createParent, createSimple } from './create.ts';
import { countFacets, type FacetQuery, readFacetQuery } from './facets/facets.ts';
import { keepFacets } from './facets/keep-queries.ts';
import { findProductJson, findProductsJson } from './json-queries.ts';
import { listProducts, type ProductFilters, type ProductSort, searchOf, walkProducts } from './list-queries.ts';
import * as queries from './queries.ts';
import { createProductReader } from './reader.ts';
import type { RelatedQuery } from './related/contract.ts';
import { findRelated } from './related/queries.ts';
import { parseRef } from './slug.ts';

export { countListed, nextListed } from './bulk-queries.ts';
export { PRODUCT_COLUMNS, type ProductFields } from './fields.ts';
export { createProductHistoryService } from './history.ts';
export { checkImportedProducts, type WrittenFamily, writeImportedProducts } from './imported/imported.ts';
export { stockOf } from './imported/plan.ts';
export { removeImportedProducts, restoreImportedProduct, ungroupImported } from './imported/undo.ts';
export { MAX_VARIANTS } from './kinds.ts';
export { categorySlug, isSlug, slugify } from './slug.ts';
export { combinationOf, MAX_VALUES, titleOf, variantName } from './variants/options.ts';
export { createVariantsService } from './variants/variants.ts';

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

    /** Ordered by `sort`, either without archived products or only those. The total is exact. Throws bad_request. */
    async listProducts(companyId: number, query: ProductQuery): Promise<Page & { facets?: Facet[] }> {
      const lane = db.lists(companyId);
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const divisor = minorPerMajor(shop.exponent);
      const { facets, ...asked } = await readFacetQuery(lane, companyId, query);
      const filters = await sortedFilters(lane, companyId, query, shop, asked);
      const listed = { ...(await listProducts(lane, companyId, filters, page, divisor)), ...page };
      if (facets.length === 0) return listed;
      const { total } = listed;
      return { ...listed, facets: await countFacets(lane, companyId, { ...filters, total }, facets, divisor) };
    },

    /** Yields the whole list, in pages. */
    async *productsInOrder(companyId: number, query: ProductQuery): AsyncGenerator<Page> {
      const shop = await shops.get(companyId);
      const lane = db.lists(companyId);
      const asked = await readFacetQuery(lane, companyId, query);
      const filters = await sortedFilters(lane, companyId, query, shop, asked);
      const divisor = minorPerMajor(shop.exponent);
      for await (const rows of walkProducts(lane, companyId, filters, divisor)) yield partOf<never>(rows);
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
      return found(await stock.findStock(db.points(companyId), companyId, parseRef(ref)), 'product');
    },

    /**
     * Creates a product with its stock, first stock movement and first price; with `variants`, the parent of these. Throws
     * validation_failed, duplicate.
     */
    async createProduct(caller: Caller, input: ProductInput): Promise<RawJson> {
      const shop = await shops.get(caller.companyId);
      return write(db, caller, async (tx) => {
        const given = [input.custom, ...(input.variants ?? []).map((variant) => variant.custom)];
        const custom = await valueContext(tx, shop, given);
        const changes = { tx, caller, shop, origin: origin(), custom };
        const isParent = input.variants !== undefined;
        const id = await (isParent ? createParent(changes, input) : createSimple(changes, input));
        if (isParent || input.custom !== undefined) await keepFacets(tx, caller.companyId, [id]);
        await updateMemberships(tx, caller.companyId, [id]);
        return (await findProductJson(tx, caller.companyId, id, minorPerMajor(shop.exponent)))!;
      });
    },

    /** See `changeProduct`. */
    async updateProduct(
      caller: Caller,
      ref: string,
      patch: ProductPatch,
      ifMatch: IfMatch | null = null,
    ): Promise<RawJson> {
      const shop = await shops.get(caller.companyId);
      return write(db, caller, async (tx) => {
        const custom = await valueContext(tx, shop, [patch.custom]);
        const changes = { tx, caller, shop, origin: origin(), custom };
        const id = await changeProduct(changes, parseRef(ref), patch, ifMatch);
        return (await findProductJson(tx, caller.companyId, id, minorPerMajor(shop.exponent)))!;
      });
    },
  };
}

/** Filters and order of a list. */
async function sortedFilters(
  lane: Db,
  companyId: number,
  query: ProductQuery,
  shop: Shop,
  { filters: facets }: Pick<FacetQuery, 'filters'>,
): Promise<ProductFilters & { sort: ProductSort }> {
  const filters = { ...filtersOf(query, shop), ...(facets.length === 0 ? {} : { facets }) };
  const sort = productSort(query, filters);
  if (query.collection === undefined) return { ...filters, sort };
  const slugs = query.collection.split(',');
  const found = await findCollectionOrders(lane, companyId, slugs);
  const collections = found.map(({ id }) => id);
  const hasOrder = slugs.length === 1 && found.length === 1 && query.sort === undefined;
  return { ...filters, collections, sort: hasOrder ? COLLECTION_ORDERS[found[0]!.sort] : sort };
}

const COLLECTION_ORDERS: Readonly<Record<CollectionSort, ProductSort>> = {
  manual: { key: 'place', direction: 'asc' },
  newest: { key: null, direction: 'desc' },
  price_asc: { key: 'price', direction: 'asc' },
  price_desc: { key: 'price', direction: 'desc' },
  name_asc: { key: 'name', direction: 'asc' },
  best_selling: { key: 'sold', direction: 'desc' },
};

function filtersOf(query: ProductQuery, { exponent }: Pick<Shop, 'exponent'>): ProductFilters {
  return {
    categories: query.category?.split(','),
    search: searchOf(query.search),
    inStock: query.in_stock,
    subscriptionEnabled: query.subscription_enabled,
    archived: query.archived,
    status: query.status,
    withVariants: query.include === 'variants' || undefined,
    sku: query.sku,
    barcode: query.barcode,
    priceMin: query.price_min === undefined ? undefined : Math.ceil(minorOf(query.price_min, exponent)),
    priceMax: query.price_max === undefined ? undefined : Math.floor(minorOf(query.price_max, exponent)),
  };
}

/** An amount in minor units, to a millionth: 19.99 × 100 is less than 1999 in binary. */
function minorOf(amount: number, exponent: number): number {
  return Math.round(amount * minorPerMajor(exponent) * 1e6) / 1e6;
}

/** Sorting by relevance falls back to sorting by age if there is no search. */
function productSort({ sort }: ProductQuery, { search }: ProductFilters): ProductSort {
  if (sort !== 'relevance') return sortOf(sort);
  return search.words.length === 0 ? sortOf(undefined) : { key: 'relevance', direction: 'desc' };
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
