import { createCategoriesService } from '../../commerce/categories/service.ts';
import type { Collection } from '../../commerce/collections/contract.ts';
import { createCollectionsService } from '../../commerce/collections/service.ts';
import { findStockAt } from '../../commerce/inventory/at-location.ts';
import { hasLevels } from '../../commerce/inventory/levels.ts';
import { fromMinor, type Minor } from '../../commerce/money.ts';
import { methodsForBuyers } from '../../commerce/payments/methods/choose.ts';
import { createMediaService } from '../../commerce/pictures/library/service.ts';
import type { PicturesService } from '../../commerce/pictures/service.ts';
import type { Facet, Product } from '../../commerce/products/contract.ts';
import { parseFacet } from '../../commerce/products/facets/filters.ts';
import { MAX_VARIANTS } from '../../commerce/products/kinds.ts';
import type { RelatedQuery } from '../../commerce/products/related/contract.ts';
import { createProductsService, createVariantsService } from '../../commerce/products/service.ts';
import type { Shop, ShopCache } from '../../commerce/shop.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, type FieldError, notFound } from '../../errors.ts';
import { COUNTRY_CODES } from '../../lib/countries.ts';
import type { Page, PageQuery } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';
import type {
  StoreCategory,
  StoreCollection,
  StoreProduct,
  StoreProductQuery,
  StoreShop,
  StoreVariant,
  Suggestions,
} from './contract.ts';
import { createShowDescription } from './descriptions.ts';
import { shownCategory, shownCollection, shownProduct, shownVariant } from './shown.ts';

const SUGGESTED = { products: 8, collections: 4, categories: 4 };

interface CatalogueDeps {
  db: Db;
  shops: ShopCache;
  pictures: PicturesService;
  origin: () => string;
  renderer: Pick<Renderer, 'showDescription'>;
}

/** The shop, and where its visitors' stock is; null: everywhere. */
export interface Visited {
  companyId: number;
  locationId: number | null;
}

export type CatalogueService = ReturnType<typeof createCatalogueService>;

/** The catalogue as visitors of the shop see it: what the services of commerce return, without what is for staff. */
export function createCatalogueService({ db: { visitors: db }, shops, pictures, origin, renderer }: CatalogueDeps) {
  const showDescription = createShowDescription(renderer);
  const products = createProductsService({ db, shops, origin });
  const variants = createVariantsService({ db, shops, origin });
  const collections = createCollectionsService({ db, shops });
  const categories = createCategoriesService({ db });
  const media = createMediaService({ db, pictures, origin });

  /** Returns an active product by id or slug. Throws not_found. */
  async function activeProduct(companyId: number, ref: string): Promise<Product> {
    const product: Product = JSON.parse((await products.getProduct(companyId, ref)).text);
    if (!product.active) throw notFound('product');
    return product;
  }

  /** Returns the active variants of a parent, by position. */
  async function activeVariants(companyId: number, parent: Product): Promise<Omit<Product, 'description'>[]> {
    const { variants: first = [], variant_count: count, id } = parent;
    if (first.length === count) return first.filter(({ active }) => active);
    const { rows } = await variants.listVariants(companyId, String(id), { archived: false, per_page: MAX_VARIANTS });
    return productsIn(rows);
  }

  /**
   * Returns the products with their stock where the visitors' orders are taken from. One location has all of it, and one that was closed
   * counts as none.
   */
  async function stocked<P extends Pick<Product, 'id' | 'stock_qty'>>(
    { companyId, locationId }: Visited,
    { locations }: Shop,
    rows: readonly P[],
  ): Promise<P[]> {
    const location = locations.find(({ id }) => id === locationId);
    if (location === undefined || !hasLevels(locations) || rows.length === 0) return [...rows];
    const ids = rows.map(({ id }) => id);
    const stock = await findStockAt(db.lists(companyId), companyId, ids, location);
    return rows.map((row) => ({ ...row, stock_qty: stock.get(row.id) ?? 0 }));
  }

  /** What a page of a product or a collection needs besides its fields. */
  async function pageOf(
    companyId: number,
    { name, description, seo_title, seo_description }: Seen,
  ): Promise<Pick<StoreProduct, 'description_html' | 'seo_title' | 'seo_description'>> {
    const { html, summary } = await showDescription(companyId, description);
    return { description_html: html, seo_title: seo_title ?? name, seo_description: seo_description ?? summary };
  }

  async function shownCollections(companyId: number, rows: readonly Collection[]): Promise<StoreCollection[]> {
    const ids = rows.flatMap(({ image_media_id: id }) => id ?? []);
    const [shop, pictures] = await Promise.all([shops.get(companyId), media.findPictures(companyId, ids)]);
    return rows.map((row) => shownCollection(shop, row, pictures.get(row.image_media_id ?? 0) ?? null));
  }

  return {
    async getShop(companyId: number): Promise<StoreShop> {
      const shop = await shops.get(companyId);
      const { name, currency, country, tax, checkout } = shop;
      return {
        name,
        currency,
        country,
        countries: countriesOf(shop),
        prices_include_tax: tax.prices_include_tax,
        show_stock: checkout.show_stock,
        payment_methods: methodsOf(shop),
      };
    },

    /** Throws bad_request. */
    async listProducts(
      visited: Visited,
      query: StoreProductQuery,
    ): Promise<Page<StoreProduct> & { rows: StoreProduct[]; facets?: Facet[] }> {
      const { companyId } = visited;
      const shop = await shops.get(companyId);
      refuseHidden(shop, query);
      const { rows, ...page } = await products.listProducts(companyId, query);
      const own = await stocked(visited, shop, productsIn(rows));
      return { ...page, rows: own.map((product) => shownProduct(shop, product)) };
    },

    /** By id or slug; a parent with all its active variants. Throws not_found. */
    async getProduct(visited: Visited, ref: string): Promise<StoreProduct> {
      const { companyId } = visited;
      const shop = await shops.get(companyId);
      const [product] = await stocked(visited, shop, [await activeProduct(companyId, ref)]);
      const shown = { ...shownProduct(shop, product!), ...(await pageOf(companyId, product!)) };
      if (!product!.has_variants) return shown;
      const variants = await stocked(visited, shop, await activeVariants(companyId, product!));
      const own: StoreVariant[] = variants.map((one) => shownVariant(shop, one));
      return { ...shown, options: usedOptions(product!, own), variants: own };
    },

    /** Throws not_found. */
    async listRelated(visited: Visited, ref: string, query: RelatedQuery): Promise<Page<StoreProduct>> {
      const { companyId } = visited;
      const shop = await shops.get(companyId);
      const { id } = await activeProduct(companyId, ref);
      const { rows, ...page } = await products.listRelated(companyId, String(id), query);
      const own = await stocked(visited, shop, productsIn(rows));
      return { ...page, rows: own.map((product) => shownProduct(shop, product)) };
    },

    /** Newest first. */
    async listCollections(companyId: number, query: PageQuery): Promise<Page<StoreCollection>> {
      const page = await collections.listCollections(companyId, query);
      return { ...page, rows: await shownCollections(companyId, page.rows) };
    },

    /** By slug or id. Throws not_found. */
    async getCollection(companyId: number, ref: string): Promise<StoreCollection> {
      const collection = await collections.getCollection(companyId, ref);
      const [[shown], page] = await Promise.all([
        shownCollections(companyId, [collection]),
        pageOf(companyId, collection),
      ]);
      return { ...shown!, ...page };
    },

    /** By position, then by name. */
    async listCategories(companyId: number, query: PageQuery): Promise<Page<StoreCategory>> {
      const { rows, ...page } = await categories.listCategories(companyId, query);
      return { ...page, rows: rows.map(shownCategory) };
    },

    /** Finds what a visitor may be looking for. */
    async suggest(visited: Visited, search: string): Promise<Suggestions> {
      const { companyId } = visited;
      const shop = await shops.get(companyId);
      const [found, among, slugs] = await Promise.all([
        products.listProducts(companyId, { search, sort: 'relevance', per_page: SUGGESTED.products }),
        collections.listCollections(companyId, { search, per_page: SUGGESTED.collections }),
        categories.listCategories(companyId, { search, per_page: SUGGESTED.categories }),
      ]);
      const own = await stocked(visited, shop, productsIn(found.rows));
      return {
        products: own.map((product) => suggested(shownVariant(shop, product))),
        collections: among.rows.map(({ slug, name }) => ({ slug, name })),
        categories: slugs.rows.map(({ slug, name }) => ({ slug, name })),
      };
    },
  };
}

type Seen = Pick<Product, 'name' | 'description' | 'seo_title' | 'seo_description'>;

/** The options of a parent with the values that active variants have. */
function usedOptions({ options }: Product, variants: readonly StoreVariant[]): StoreProduct['options'] {
  return options.map(({ name, values = [] }) => {
    const used = new Set(variants.flatMap((variant) => variant.options.find((one) => one.name === name)?.value ?? []));
    return { name, values: values.filter((value) => used.has(value)) };
  });
}

function suggested(product: StoreVariant): Suggestions['products'][number] {
  const { id, name, slug, price, compare_at_price, price_max, in_stock, images } = product;
  const image = (images.find(({ is_primary }) => is_primary) ?? images[0])?.url ?? null;
  return { id, name, slug, price, compare_at_price, price_max, in_stock, image };
}

/** Each text from SQL may be several records separated by commas. */
function productsIn(rows: readonly RawJson[]): Product[] {
  return JSON.parse(`[${rows.map(({ text }) => text).join(',')}]`);
}

/** Where an active shipping method delivers to. A zone without countries is everywhere. */
function countriesOf({ zones, methods }: Pick<Shop, 'zones' | 'methods'>): string[] {
  const served = zones.filter(({ id }) => methods.some(({ zone_id, active }) => active && zone_id === id));
  if (served.some(({ countries }) => countries.length === 0)) return [...COUNTRY_CODES];
  return [...new Set(served.flatMap(({ countries }) => countries))].sort();
}

/** The payment methods that buyers may choose, by position. What they are told after ordering is left out. */
function methodsOf(shop: Shop): StoreShop['payment_methods'] {
  const amount = (limit: Minor | null) => (limit === null ? null : fromMinor(limit, shop.exponent));
  return methodsForBuyers(shop).map(({ min_total, max_total, account_id, ...method }) => {
    const { id, provider, kind, name, description, places, capture } = method;
    return {
      id,
      provider,
      kind,
      name,
      description,
      places,
      capture,
      min_total: amount(min_total),
      max_total: amount(max_total),
      publishable_key: shop.paymentAccounts.find((one) => one.id === account_id)?.publishable_key ?? null,
    };
  });
}

/** A filter or a facet would tell the values of fields that are not shown. Throws bad_request. */
function refuseHidden(shop: Pick<Shop, 'customFields' | 'checkout'>, query: StoreProductQuery): void {
  const { customFields, checkout } = shop;
  const { custom, facets, in_stock } = query;
  const hidden = new Set(
    customFields
      .filter(({ on, visible }) => (on === 'product' || on === 'variant') && visible !== 'store')
      .map(({ key }) => key),
  );
  const counts = (facets ?? '').split(',').map((text) => parseFacet(text.trim()));
  if (checkout.show_stock === 'none' && (in_stock !== undefined || counts.some((facet) => facet?.of === 'in_stock'))) {
    throw new AppError('bad_request', 'The shop does not show its stock');
  }
  const counted = counts.flatMap((facet) => {
    return facet?.of === 'custom' ? facet.name : [];
  });
  const asked = [
    ...Object.keys(custom ?? {}).map((key) => ({ field: `custom.${key}`, key })),
    ...counted.map((key) => ({ field: 'facets', key })),
  ];
  const errors: FieldError[] = asked
    .filter(({ key }) => hidden.has(key))
    .map(({ field, key }) => {
      const message = `custom.${key} is no filterable custom field of products or variants`;
      return { field, code: 'unknown', message };
    });
  if (errors.length > 0) throw new AppError('bad_request', errors[0]!.message, { fields: errors });
}
