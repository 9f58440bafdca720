import type { OptionValue, ProductOption } from '../../commerce/products/contract.ts';
import type { ImportedProduct } from '../../commerce/products/imported/plan.ts';
import { combinationOf, MAX_VALUES, slugify, titleOf, variantName } from '../../commerce/products/service.ts';
import { CUSTOM, customKeysIn } from '../formats/custom-cells.ts';
import { type Fields, OPTION_FIELDS, SHARED_STOCK } from '../formats/format.ts';
import { CHILDREN, FAMILY, OF } from '../formats/inheritance.ts';
import { arrayIn } from '../formats/json-cells.ts';
import { Family } from './families.ts';
import type { ImportContext, Read, RowGroup } from './kind.ts';
import { readProduct, skuNote } from './read-product.ts';
import { RowFault, readAt, shown } from './values.ts';

/*
 * Rows that are variants of one product: the rows of a group, as Shopify has them, or rows anywhere in the file that name the product. See
 * docs/design/imports.md.
 */

/** The rows of a group that are sold: others add a picture. */
function soldRows({ rows }: RowGroup): Fields[] {
  const sold = rows.filter((row) => row.only_image === undefined);
  return sold.length === 0 ? rows.slice(0, 1) : sold;
}

/** Whether the rows are variants, even if there is only one. */
export function isFamily(group: RowGroup): boolean {
  const [first] = group.rows as [Fields, ...Fields[]];
  if (first[FAMILY] !== undefined) return true;
  if (first.group === undefined) return false;
  const sold = soldRows(group);
  return sold.length > 1 || OPTION_FIELDS.some(({ value }) => sold[0]![value] !== undefined);
}

/** What a product with variants has itself: it has no price, stock and codes. */
const OF_PRODUCT = [
  'name',
  'slug',
  'group',
  'description',
  'seo_title',
  'seo_description',
  'category',
  'categories',
  'status',
  'archived',
  'published',
];
const OF_FAMILY = [...OF_PRODUCT, 'images', 'tax_class', 'options'];

/** Reads the variants of one product. Throws RowFault. */
export function readFamily(group: RowGroup, context: ImportContext): Read<ImportedProduct>[] {
  const [first] = group.rows as [Fields, ...Fields[]];
  const isGroup = first[FAMILY] === undefined;
  const shared: Fields = {};
  const custom = Object.keys(first).filter((field) => field.startsWith(isGroup ? CUSTOM : OF + CUSTOM));
  for (const field of [...OF_FAMILY, ...custom.map((name) => (isGroup ? name : name.slice(OF.length)))]) {
    const text = isGroup ? (field === 'tax_class' ? undefined : first[field]) : first[OF + field];
    if (text !== undefined) shared[field] = text;
  }
  const pictures = [...new Set(group.rows.flatMap(({ image }) => (image === undefined ? [] : [image])))];
  const read = readProduct(shared, pictures, context, false);
  const key = first[FAMILY] ?? first.group!.toLowerCase();
  const parent = { ...read, slug: read.slug ?? context.families.slugFor(key, slugify(read.slug_text)) };
  const family = isGroup ? new Family() : context.families.of(key);
  const known = listedOptions(shared);
  const combinations = new Set<string>();
  return soldRows(group).map((row, i, sold) =>
    readAt(group.rows.indexOf(row), () => {
      const given = optionsIn(row, sold, family, i);
      const leads = family.isNew;
      const stock = leads ? row[SHARED_STOCK] : undefined;
      // All of it goes to one variant: with a part for each, nobody could say which.
      const stocked: Fields = stock === undefined ? row : { ...row, stock };
      const product = readVariant(stocked, parent, isGroup, context);
      const options = family.admit(given);
      const combination = combinationOf(options);
      const isSold = product.status === null || product.status === 'active';
      if (isGroup && combinations.has(combination)) {
        throw new RowFault(
          null,
          `another variant of «${shown(parent.name)}» has the options ${shown(titleOf(options))}`,
        );
      }
      combinations.add(combination);
      const record: ImportedProduct = {
        ...product,
        name: variantName(parent.name, titleOf(options)),
        variant: {
          family: { key, parent, has_slug: read.slug !== null, options: known },
          options,
          leads,
          shares_sku: product.sku !== null && context.sharedSkus.has(product.sku),
          position: positionIn(row),
        },
      };
      const place = `variant ${key} ${combination}`;
      const stockNote = `has the stock that all variations of «${shown(parent.name)}» share`;
      const notes = [skuNote(row, context), stock === undefined ? null : stockNote].filter((note) => note !== null);
      return {
        key: product.sku === null ? place : `sku ${product.sku}`,
        place: isSold ? place : null,
        record,
        note: notes.length === 0 ? null : notes.join('; '),
      };
    }),
  );
}

/** Reads the row of a product with variants. Its variants bring what it has, unless the file has none of them. */
export function readParentRow(row: Fields, context: ImportContext): ImportedProduct[] {
  if (row[CHILDREN] !== undefined && row[CHILDREN] !== '0') return [];
  const own: Fields = {};
  const custom = customKeysIn(row).map((key) => CUSTOM + key);
  for (const field of [...OF_FAMILY, ...custom]) if (row[field] !== undefined) own[field] = row[field];
  const parent = readProduct(own, [], context, false);
  return [{ ...parent, slug: parent.slug ?? slugify(parent.slug_text), is_parent: true }];
}

/** The options and their values in the order of a list exported from here. */
function listedOptions({ options }: Fields): ProductOption[] {
  const listed = (arrayIn(options ?? '') ?? []) as Partial<ProductOption>[];
  return listed.flatMap(({ name, values }) =>
    typeof name === 'string' && Array.isArray(values)
      ? [{ name, values: values.slice(0, MAX_VALUES).map(String) }]
      : [],
  );
}

/** The product's own fields are those of all its variants in a group, where its first row has them. */
function readVariant(row: Fields, parent: ImportedProduct, isGroup: boolean, context: ImportContext): ImportedProduct {
  const own: Fields = { ...row, name: parent.name };
  // Its name is made of its options, and may be cut.
  delete own.variant;
  for (const field of OF_PRODUCT.slice(2))
    if (isGroup || /^(?:description|seo_|categor)/.test(field)) delete own[field];
  if (isGroup) for (const field of ['slug', 'images']) delete own[field];
  return readProduct(own, row.variant_image === undefined ? [] : [row.variant_image], context, false);
}

/** Returns the options of a row. A name may stand in the first row only, or nowhere. */
function optionsIn(row: Fields, sold: readonly Fields[], family: Family, at: number): OptionValue[] {
  const used = OPTION_FIELDS.filter(({ name, value }) =>
    sold.some((one) => one[value] !== undefined || one[name] !== undefined),
  );
  const given = used.filter(({ value }) => sold.some((one) => one[value] !== undefined));
  if (given.length === 0) {
    const value = row.title ?? (sold.length > 1 ? (row.sku ?? String(at + 1)) : undefined);
    if (value === undefined) throw new RowFault(OPTION_FIELDS[0]!.value, 'a variant needs the value of an option');
    return [{ name: family.nameAt(0) ?? 'Option 1', value: plain(value) }];
  }
  return given.map(({ name: nameField, value: valueField }, i) => {
    const name = row[nameField] ?? sold[0]![nameField] ?? family.nameAt(i) ?? `Option ${i + 1}`;
    const value = row[valueField];
    if (value === undefined) throw new RowFault(valueField, `the variant has no value for «${shown(name)}»`);
    return { name: plain(name), value: plain(value) };
  });
}

/** Spreadsheets pad cells, also with spaces that do not break. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function positionIn({ position }: Fields): number | null {
  return position !== undefined && /^\d{1,6}$/.test(position) ? Number(position) : null;
}
