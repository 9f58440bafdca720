import { PRODUCT_STATUSES, ProductInput, type ProductStatus } from '../../commerce/products/contract.ts';
import type { ImportedProduct } from '../../commerce/products/imported/plan.ts';
import { categorySlug, isSlug, PRODUCT_COLUMNS, type ProductFields } from '../../commerce/products/service.ts';
import { customIn } from '../formats/custom-cells.ts';
import type { Fields } from '../formats/format.ts';
import { arrayIn } from '../formats/json-cells.ts';
import { ROW, skuOf } from '../readings/notices.ts';
import type { ImportContext } from './kind.ts';
import { amountOf, anyMomentOf, lineOf, listOf, RowFault, shown, textOf, wholeOf, yesNoOf } from './values.ts';

const MAX_STOCK = 1_000_000_000;
const MAX_CATEGORIES = 50;
const MAX_IMAGES = 50;
const MAX_NAME = 255;
export const MAX_DESCRIPTION = 100_000;

/** Reads a product, or a variant beside what it has from its product. Throws RowFault. */
export function readProduct(
  fields: Fields,
  images: string[],
  context: ImportContext,
  isVariant: boolean,
): ImportedProduct {
  if (fields.name === undefined) throw new RowFault('name', 'a product needs a name');
  const name = lineOf(
    'name',
    fields.variant === undefined ? fields.name : `${fields.name} – ${fields.variant}`,
    MAX_NAME,
  )!;
  const price = priceOf(fields, context);
  const stock = wholeOf('stock', fields.stock, MAX_STOCK, context.readings);
  // With a stock chosen for such products, they are counted from now on.
  const untracked = fields.untracked === 'yes';
  const counted = context.choices.untracked_stock;
  return {
    fields: {
      track_stock: untracked ? counted !== undefined : fields.untracked === 'no' ? true : undefined,
      compare_at_price: unsignedAmount('compare_at_price', fields, context) ?? undefined,
      cost: unsignedAmount('cost', fields, context) ?? undefined,
      ...plainFields(fields, context),
    },
    sku: ownSku(fields, context),
    slug: statedSlug(fields, isVariant),
    slug_text: slugTextOf(fields, name, isVariant),
    name,
    description: textOf('description', fields.description, MAX_DESCRIPTION),
    price,
    // A negative stock means oversold elsewhere: here there is nothing to sell.
    stock: stock === null || untracked ? null : Math.max(0, stock),
    refill: untracked ? Math.max(0, stock ?? 0, counted ?? 0) : 0,
    ...categoriesOf(fields),
    images: imagesOf(fields, images),
    status: statusOf(fields),
    custom: {
      product: customIn(fields, 'product', context.shop.customFields),
      variant: customIn(fields, 'variant', context.shop.customFields),
    },
  };
}

/** Shopify and exports from here name the status; other services say whether a product is archived or published. */
function statusOf({ status, archived, published }: Fields): ProductStatus | null {
  if (status !== undefined) {
    const named = PRODUCT_STATUSES.find((one) => one === status.toLowerCase());
    if (named === undefined) throw new RowFault('status', 'is draft, active or archived');
    return named;
  }
  const isHidden = yesNoOf('archived', archived) ?? not(yesNoOf('published', published));
  return isHidden === null ? null : isHidden ? 'archived' : 'active';
}

/** Fields that `readProduct` reads in ways of their own. */
const READ_ALONE: readonly string[] = [
  'name',
  'slug',
  'description',
  'price',
  'sku',
  'categories',
  'images',
  'compare_at_price',
  'cost',
  'custom',
];

/** Reads the other fields of products by their schemas: text, whole number, or yes and no. */
function plainFields(fields: Fields, { readings }: ImportContext): Partial<ProductFields> {
  const read = PRODUCT_COLUMNS.filter((name) => !READ_ALONE.includes(name)).flatMap((name) => {
    const { type, maxLength, maximum } = ProductInput.properties[name] as PlainSchema;
    const types = [type].flat();
    const text = fields[name];
    const value = types.includes('string')
      ? textOf(name, text, maxLength!)
      : types.includes('boolean')
        ? yesNoOf(name, text)
        : wholeOf(name, text, maximum!, readings);
    if (typeof value === 'number' && value < 0) throw new RowFault(name, 'is not negative');
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(read);
}

interface PlainSchema {
  type: string | string[];
  maxLength?: number;
  maximum?: number;
}

/** Of rows that have the same SKU, one keeps it: the others are products without. */
function ownSku(fields: Fields, { skuRows }: ImportContext): string | null {
  const sku = lineOf('sku', skuOf(fields), 100);
  const keeper = sku === null ? undefined : skuRows.get(sku);
  return keeper === undefined || String(keeper) === fields[ROW] ? sku : null;
}

/** Names the row to which this one leaves its SKU, and which may be refused later. */
export function skuNote(fields: Fields, { skuRows }: ImportContext): string | null {
  const keeper = skuRows.get(skuOf(fields) ?? '');
  if (keeper === undefined || String(keeper) === fields[ROW]) return null;
  return `the SKU of row ${fields[ROW]} is left out: row ${keeper} has it, too`;
}

/** The price at the time of the import, in minor units: that of a sale counts from its beginning to its end. */
function priceOf(fields: Fields, context: ImportContext): number | null {
  const { readings, now } = context;
  const isOnSale = (): boolean => {
    if (fields.sale_price === undefined) return false;
    const from = anyMomentOf('sale_from', fields.sale_from, readings);
    const to = anyMomentOf('sale_to', fields.sale_to, readings);
    return (from === null || from <= now) && (to === null || now <= to);
  };
  const field = isOnSale() ? 'sale_price' : 'price';
  return unsignedAmount(field, fields, context);
}

function unsignedAmount(field: string, fields: Fields, { shop, readings }: ImportContext): number | null {
  const amount = amountOf(field, fields[field], shop.exponent, readings);
  if (amount !== null && amount < 0) throw new RowFault(field, 'a price is not negative');
  return amount;
}

function not(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

/** The product's slug if the file states one that can be kept as it is; that of a variant is made of its options. */
function statedSlug({ group, slug, variant }: Fields, isVariant: boolean): string | null {
  const stated = (group ?? slug)?.toLowerCase();
  return stated === undefined || (isVariant && variant !== undefined) || !isSlug(stated) ? null : stated;
}

function slugTextOf({ group, slug, variant }: Fields, name: string, isVariant: boolean): string {
  const stated = group ?? slug ?? name;
  return isVariant && variant !== undefined ? `${stated} ${variant}` : stated;
}

/** Each level of a path, as in `Clothing > Shirts, Sale`, is a category: `clothing`, `clothing-shirts`, `sale`. */
function categoriesOf({ category, categories }: Fields): Pick<ImportedProduct, 'categories' | 'category_names'> {
  const given = [category, ...listOf(categories)].filter((one) => one !== undefined);
  const paths = given.flatMap((path) => {
    const levels = path
      .split('>')
      .map((level) => level.trim())
      .filter((level) => level !== '');
    return levels.map((_, depth) => levels.slice(0, depth + 1).join(' > '));
  });
  const names = new Map(paths.map((path) => [categorySlug(path), path]));
  const all = [...names.keys()];
  if (all.length > MAX_CATEGORIES)
    throw new RowFault('categories', `a product has at most ${MAX_CATEGORIES} categories`);
  return {
    categories: given.length === 0 ? null : all,
    category_names: new Map(
      [...names].flatMap(([slug, path]) => (path === slug ? [] : [[slug, path.slice(0, MAX_NAME)] as const])),
    ),
  };
}

/** URLs separated by commas or spaces, or the pictures of a list exported from here: the first is the primary one. */
function urlsOf(text: string): string[] {
  const array = arrayIn(text) as { url?: unknown }[] | null;
  if (array !== null) return array.map((image) => String(image?.url));
  return text.split(/[,\s]+/).filter((url) => url !== '');
}

function imagesOf(fields: Fields, images: string[]): string[] | null {
  const given = [...images, ...urlsOf(fields.images ?? '')];
  if (given.length === 0) return null;
  for (const url of given) {
    if (url.length > 2_000 || !/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url)) {
      throw new RowFault('images', `«${shown(url)}» is no address of a picture`);
    }
  }
  return [...new Set(given)].slice(0, MAX_IMAGES);
}
