import { ProductInput } from '../../commerce/products/contract.ts';
import { nameKey } from '../../commerce/products/imported/names.ts';
import type { ImportedProduct } from '../../commerce/products/imported/plan.ts';
import {
  categorySlug,
  checkImportedProducts,
  isSlug,
  PRODUCT_COLUMNS,
  type ProductFields,
  stockOf,
  writeImportedProducts,
} from '../../commerce/products/service.ts';

import type { Fields } from '../formats/format.ts';
import { MISSING } from '../formats/inheritance.ts';
import { arrayIn } from '../formats/json-cells.ts';
import { ROW, skuOf } from '../readings/notices.ts';
import {
  type ImportContext,
  type ImportKind,
  type JournalEntry,
  type Prepared,
  type Read,
  type RowGroup,
  refused,
} from './kind.ts';
import { amountOf, anyMomentOf, lineOf, listOf, RowFault, readAt, shown, textOf, wholeOf, yesNoOf } from './values.ts';

const MAX_STOCK = 1_000_000_000;
const MAX_CATEGORIES = 50;
const MAX_IMAGES = 50;
const MAX_NAME = 255;
const MAX_DESCRIPTION = 100_000;

/** Products. Each variant is a product of its own, named after its options. */
export const productsKind: ImportKind<ImportedProduct> = {
  read(group, context): Read<ImportedProduct>[] {
    const skip = group.rows[0]!.skip;
    if (skip !== undefined) throw new Skipped(skip);
    const missing = group.rows[0]![MISSING];
    if (missing !== undefined) {
      const fix = 'add its row before this one, or leave the column out';
      throw new RowFault('parent', `its product «${shown(missing)}» is not among the earlier rows of the file: ${fix}`);
    }
    return readGroup(group, context).map((record) => ({ key: keyOf(record), record }));
  },

  async prepare({ companyId, renderer }, products): Promise<Prepared<ImportedProduct>[]> {
    // Variants share the description of their product.
    const texts = [...new Set(products.flatMap(({ description }) => description ?? []))];
    const sanitised = await renderer.sanitiseDescriptions(companyId, texts);
    const keptOf = new Map(texts.map((text, i) => [text, sanitised[i]!]));
    return products.map((record) => {
      if (record.description === null) return { record };
      const description = keptOf.get(record.description) ?? null;
      if (description === null) return { refusal: refused('description', 'is HTML that takes too long to read') };
      if (description.length > MAX_DESCRIPTION) {
        const reason = `has at most ${MAX_DESCRIPTION} characters, once its HTML is completed`;
        return { refusal: refused('description', reason) };
      }
      return { record: { ...record, description } };
    });
  },

  async check(db, { companyId, choices }, products) {
    const options = { onlyNew: choices.only_new ?? false, anyOfName: false };
    const outcomes = await checkImportedProducts(db, companyId, products, options);
    return outcomes.map((outcome) => ({ outcome }));
  },

  async write(tx, { companyId, choices, actor, now }, products) {
    const options = { onlyNew: choices.only_new ?? false, anyOfName: false, actor, now };
    const outcomes = await writeImportedProducts(tx, companyId, products, options);
    const journal: JournalEntry[] = outcomes.flatMap(({ id, before, outcome }, i) =>
      outcome === 'updated'
        ? [
            {
              kind: 'product' as const,
              ids: [id!],
              before: { ...before, after: stockOf(products[i]!, before!) },
            },
          ]
        : [],
    );
    const created = outcomes.flatMap(({ outcome, id }) => (outcome === 'created' ? [id!] : []));
    if (created.length > 0) journal.push({ kind: 'product', ids: created, before: null });
    return { outcomes: outcomes.map(({ outcome }) => ({ outcome })), journal };
  },
};

/** A record that is left out on purpose. */
export class Skipped extends Error {}

function keyOf({ sku, slug, name }: ImportedProduct): string {
  if (sku !== null) return `sku ${sku}`;
  return slug !== null ? `slug ${slug}` : `name ${nameKey(name)}`;
}

/** Returns the variants of a product. Fields of the product itself are taken from the first row if a variant lacks them. */
function readGroup({ rows }: RowGroup, context: ImportContext): ImportedProduct[] {
  const [first] = rows as [Fields, ...Fields[]];
  const images = [...new Set(rows.flatMap(({ image }) => (image === undefined ? [] : [image])))];
  const variants = rows.filter((row) => row.only_image === undefined);
  return (variants.length === 0 ? [first] : variants).map((row) => {
    const shared: Fields = { ...row };
    for (const field of ['name', 'description', 'category', 'archived', 'published'] as const) {
      if (shared[field] === undefined && first[field] !== undefined) shared[field] = first[field];
    }
    const own = row.variant_image === undefined ? images : [row.variant_image, ...images];
    return readAt(rows.indexOf(row), () => readProduct(shared, own, context, variants.length > 1));
  });
}

function readProduct(fields: Fields, images: string[], context: ImportContext, isVariant: boolean): ImportedProduct {
  if (fields.name === undefined) throw new RowFault('name', 'a product needs a name');
  const name = lineOf(
    'name',
    fields.variant === undefined ? fields.name : `${fields.name} – ${fields.variant}`,
    MAX_NAME,
  )!;
  const price = priceOf(fields, context);
  const stock = wholeOf('stock', fields.stock, MAX_STOCK, context.readings);
  const untracked = fields.untracked !== undefined;
  return {
    fields: plainFields(fields, context),
    sku: ownSku(fields, context),
    slug: statedSlug(fields, isVariant),
    slug_text: slugTextOf(fields, name, isVariant),
    name,
    description: textOf('description', fields.description, MAX_DESCRIPTION),
    price,
    // A negative stock means oversold elsewhere: here there is nothing to sell.
    stock: stock === null || untracked ? null : Math.max(0, stock),
    refill: untracked ? Math.max(0, stock ?? 0, context.choices.untracked_stock ?? 0) : 0,
    categories: categoriesOf(fields),
    images: imagesOf(fields, images),
    archived: yesNoOf('archived', fields.archived) ?? not(yesNoOf('published', fields.published)),
  };
}

/** Fields that `readProduct` reads in ways of their own. */
const READ_ALONE: readonly string[] = ['name', 'slug', 'description', 'price', 'sku', 'categories', 'images'];

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

/** The price at the time of the import, in minor units: that of a sale counts from its beginning to its end. */
function priceOf(fields: Fields, { shop, readings, now }: ImportContext): number | null {
  const isOnSale = (): boolean => {
    if (fields.sale_price === undefined) return false;
    const from = anyMomentOf('sale_from', fields.sale_from, readings);
    const to = anyMomentOf('sale_to', fields.sale_to, readings);
    return (from === null || from <= now) && (to === null || now <= to);
  };
  const field = isOnSale() ? 'sale_price' : 'price';
  const price = amountOf(field, fields[field], shop.exponent, readings);
  if (price !== null && price < 0) throw new RowFault(field, 'a price is not negative');
  return price;
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
function categoriesOf({ category, categories }: Fields): string[] | null {
  const given = [category, ...listOf(categories)].filter((one) => one !== undefined);
  if (given.length === 0) return null;
  const slugs = given.flatMap((path) => {
    const levels = path
      .split('>')
      .map((level) => level.trim())
      .filter((level) => level !== '');
    return levels.map((_, depth) => categorySlug(levels.slice(0, depth + 1).join(' > ')));
  });
  const all = [...new Set(slugs)];
  if (all.length > MAX_CATEGORIES)
    throw new RowFault('categories', `a product has at most ${MAX_CATEGORIES} categories`);
  return all;
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
