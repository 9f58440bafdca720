import type { Caller } from '../../caller.ts';
import { createBatcher } from '../../db/batching/batch.ts';
import { foldText } from '../../db/fold.ts';
import { write } from '../../db/idempotency.ts';
import { constraintOf, type Db, type Tx } from '../../db/pool.ts';
import { AppError, type FieldError, found, notFound, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { readAmount } from '../fields.ts';
import { minorPerMajor } from '../money.ts';
import { areShort, wordsOf } from '../search.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { ProductInput, ProductPatch, ProductQuery } from './contract.ts';
import * as queries from './queries.ts';
import { firstFree, slugify } from './slug.ts';

/** A path names a product by id or by slug; digits alone are an id, in the one form that ids have. */
function refOf(text: string): number | string {
  if (!/^\d+$/.test(text)) return text;
  const id = Number(text);
  if (!Number.isSafeInteger(id) || String(id) !== text) throw notFound('product');
  return id;
}

/** Reads of single products, which shops ask for most: those of one moment share a query. */
export interface ProductReader {
  /** The product as JSON, by id or slug. Throws not_found. */
  get(shop: Shop, ref: string): Promise<RawJson>;
}

export function createProductReader(db: Db): ProductReader {
  const batcher = createBatcher<{ shop: Shop; id: number }, RawJson | undefined>({
    name: 'product-reads',
    key: ({ shop }) => shop.companyId,
    run: async (companyId, reads) => {
      const divisor = minorPerMajor(reads[0]!.shop.exponent);
      const ids = reads.map(({ id }) => id);
      const products = await queries.findProductsJson(db.points(companyId), companyId, ids, divisor);
      return products.map((value) => ({ ok: true, value }));
    },
    maxSize: 64,
    maxInFlight: 4,
    maxInFlightPerKey: 2,
  });
  return {
    async get(shop, ref) {
      const by = refOf(ref);
      const product =
        typeof by === 'number'
          ? await batcher.submit({ shop, id: by })
          : await queries.findProductJson(db.points(shop.companyId), shop.companyId, by, minorPerMajor(shop.exponent));
      return found(product, 'product');
    },
  };
}

export async function getInventory(
  db: Db,
  companyId: number,
  ref: string,
): Promise<{ product_id: number; stock_qty: number; in_stock: boolean }> {
  const stock = found(await queries.findStock(db, companyId, refOf(ref)), 'product');
  return { ...stock, in_stock: stock.stock_qty > 0 };
}

/** Newest first, without archived ones; totals are exact. */
export async function listProducts(db: Db, shop: Shop, query: ProductQuery): Promise<Page> {
  const page = pageOf(query);
  const divisor = minorPerMajor(shop.exponent);
  const filters = {
    category: query.category,
    words: wordsOf(query.search),
    inStock: query.in_stock,
    subscriptionEnabled: query.subscription_enabled,
  };
  const list = searchOf(filters);
  return { ...(await list(db, shop.companyId, filters, page, divisor)), ...page };
}

function searchOf({ category, words }: queries.ProductFilters) {
  // Within a category the rows are few enough to look at each.
  if (category !== undefined) return queries.searchProducts;
  if (words.length === 0) return queries.listProductsByKey;
  return areShort(words) ? queries.searchProductsShort : queries.searchProducts;
}

/** Makes a product with its stock, first stock movement and first price. */
export async function createProduct(db: Db, shop: Shop, caller: Caller, input: ProductInput): Promise<RawJson> {
  return write(db, caller, async (tx) => {
    const values = { ...valuesOf(input, shop, EMPTY), inStock: (input.stock_qty ?? 0) > 0 };
    if (input.slug === undefined) values.slug = await freeSlug(tx, shop.companyId, slugify(input.name));
    else await queries.lockSlugs(tx, shop.companyId, 'given');
    const id = await unique(() => queries.insertProduct(tx, shop.companyId, values, caller.now));
    const { actor, now } = caller;
    if (values.categories.length > 0) await queries.setCategories(tx, shop.companyId, id, values.categories, now);
    await queries.insertStock(tx, shop.companyId, { productId: id, qty: input.stock_qty ?? 0, actor, now });
    const change = { productId: id, oldPrice: null, newPrice: values.price, actor, now };
    await queries.insertPriceChange(tx, shop.companyId, change);
    return (await queries.findProductJson(tx, shop.companyId, id, minorPerMajor(shop.exponent)))!;
  });
}

/** Sets what is given; a new price goes into the price history, a new stock becomes a stock movement. */
export async function updateProduct(
  db: Db,
  shop: Shop,
  caller: Caller,
  ref: string,
  patch: ProductPatch,
): Promise<RawJson> {
  const { companyId } = shop;
  const { actor, now } = caller;
  return write(db, caller, async (tx) => {
    const old = found(await queries.lockProduct(tx, companyId, refOf(ref)), 'product');
    const values = valuesOf(patch, shop, old);
    const archivedAt =
      patch.archived === undefined ? old.archived_at : patch.archived ? (old.archived_at ?? now) : null;
    if (values.slug !== old.slug) await queries.lockSlugs(tx, companyId, 'given');
    await unique(() => queries.updateProduct(tx, companyId, old.id, { ...values, archivedAt }, now));
    if (patch.categories !== undefined) await queries.setCategories(tx, companyId, old.id, values.categories, now);
    if (values.price !== old.price) {
      const change = { productId: old.id, oldPrice: old.price, newPrice: values.price, actor, now };
      await queries.insertPriceChange(tx, companyId, change);
    }
    const delta = (patch.stock_qty ?? old.stock_qty) - old.stock_qty;
    if (delta !== 0) await queries.adjustStock(tx, companyId, { productId: old.id, delta, actor, now });
    return (await queries.findProductJson(tx, companyId, old.id, minorPerMajor(shop.exponent)))!;
  });
}

const EMPTY = {
  name: '',
  slug: '',
  description: '',
  price: 0,
  subscription_enabled: false,
  sku: null,
  tax_class: null,
  categories: [] as string[],
  images: [] as { url: string; is_primary: boolean }[],
};

/** What is given over what was. Throws validation_failed with every failing field. */
function valuesOf(given: ProductPatch, shop: Shop, old: typeof EMPTY | queries.ProductRow): queries.ProductValues {
  const errors: FieldError[] = [];
  const price = given.price === undefined ? old.price : readAmount('price', given.price, shop, errors);
  const images = given.images === undefined ? old.images : imagesOf(given.images, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const name = given.name ?? old.name;
  const description = given.description ?? old.description;
  return {
    name,
    slug: given.slug ?? old.slug,
    description,
    price,
    subscriptionEnabled: given.subscription_enabled ?? old.subscription_enabled,
    sku: given.sku === undefined ? old.sku : given.sku,
    taxClass: given.tax_class === undefined ? old.tax_class : given.tax_class,
    categories: given.categories === undefined ? old.categories : [...new Set(given.categories)],
    images,
    search: foldText(`${name} ${description}`),
  };
}

/** Exactly one primary image: the one that says so, else the first. */
function imagesOf(
  images: { url: string; is_primary?: boolean }[],
  errors: FieldError[],
): { url: string; is_primary: boolean }[] {
  images.forEach(({ url }, i) => {
    const field = `images.${i}.url`;
    if (!URL.canParse(url)) errors.push({ field, code: 'wrong_format', message: `${field} must be a valid address` });
  });
  const primaries = images.filter((image) => image.is_primary === true).length;
  if (primaries > 1) {
    errors.push({ field: 'images', code: 'invalid', message: 'images may have only one primary image' });
  }
  return images.map(({ url, is_primary }, i) => ({ url, is_primary: primaries === 0 ? i === 0 : is_primary === true }));
}

/** The first free slug. The lock keeps products made at once from choosing the same, or one that is just being given. */
async function freeSlug(tx: Tx, companyId: number, base: string): Promise<string> {
  await queries.lockSlugs(tx, companyId, 'made');
  return firstFree(base, new Set(await queries.findSlugsLike(tx, companyId, base)));
}

async function unique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const field = { products_company_id_slug_key: 'slug', products_sku: 'sku' }[constraintOf(error)];
    if (field === undefined) throw error;
    throw new AppError('duplicate', `Another product has this ${field}`, { field });
  }
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createProductsService(deps: { db: Db; shops: ShopCache }) {
  const { db, shops } = deps;
  const reader = createProductReader(db);
  return {
    getProduct: async (companyId: number, id: string) => reader.get(await shops.get(companyId), id),
    listProducts: async (companyId: number, query: ProductQuery) =>
      listProducts(db.lists(companyId), await shops.get(companyId), query),
    getInventory: (companyId: number, ref: string) => getInventory(db.points(companyId), companyId, ref),
    createProduct: async (caller: Caller, input: ProductInput) =>
      createProduct(db.points(caller.companyId), await shops.get(caller.companyId), caller, input),
    updateProduct: async (caller: Caller, ref: string, patch: ProductPatch) =>
      updateProduct(db.points(caller.companyId), await shops.get(caller.companyId), caller, ref, patch),
  };
}

export type ProductsService = ReturnType<typeof createProductsService>;
