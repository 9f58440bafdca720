import { column, type Fields, type Format, LEFT, OPTION_FIELDS } from './format.ts';

/** What Medusa calls the statuses of products; proposed and rejected ones have not been published. */
const STATUS: Record<string, string> = { published: 'active', draft: 'draft', proposed: 'draft', rejected: 'draft' };
/** Medusa's option of a product with one variant; says nothing about it. */
const DEFAULTS = ['default', 'default option value', 'default variant', 'default value'];
/** The categories after the first. */
const CATEGORIES = Array.from({ length: 9 }, (_, i) => i + 2);
const PICTURES = Array.from({ length: 10 }, (_, i) => i + 1);

/** Products → Export, one row per variant, in the columns of Medusa 2 or (second headers) 1. */
export const medusaProducts: Format = {
  name: 'medusa-products',
  title: 'Medusa products',
  kind: 'products',
  separator: 'point',
  groupBy: 'group',
  columns: [
    column('source_id', 'Product Id'),
    column('group', 'Product Handle'),
    column('name', 'Product Title'),
    column('description', 'Product Description'),
    column('status', 'Product Status'),
    column('thumbnail', 'Product Thumbnail'),
    column('category', 'Product Category 1', 'Product Category 1 Name', 'Product Categories'),
    ...CATEGORIES.map((n) => column(`category${n}`, `Product Category ${n}`, `Product Category ${n} Name`)),
    column('type', 'Product Type', 'Product Type Value'),
    column('product_weight', 'Product Weight'),
    column('sku', 'Variant SKU'),
    column('barcode', 'Variant Barcode'),
    column('stock', 'Variant Inventory Quantity'),
    column('oversell', 'Variant Allow Backorder'),
    column('tracker', 'Variant Manage Inventory'),
    column('weight_g', 'Variant Weight'),
    column('price', 'Variant Price {currency}', 'Price {currency}'),
    column('title', 'Variant Title'),
    ...OPTION_FIELDS.slice(0, 6).flatMap(({ name, value }, i) => [
      column(name, `Variant Option ${i + 1} Name`, `Option ${i + 1} Name`),
      column(value, `Variant Option ${i + 1} Value`, `Option ${i + 1} Value`),
    ]),
    ...PICTURES.map((n) => column(`image${n}`, `Product Image ${n} Url`, `Product Image ${n}`, `Image ${n} Url`)),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    if (fields.group === undefined && fields.source_id !== undefined) next.group = fields.source_id;
    if (fields.option2_value === undefined && DEFAULTS.includes((fields.option1_value ?? '').toLowerCase())) {
      delete next.option1_name;
      delete next.option1_value;
    }
    const fieldsOfCategories = ['category', ...CATEGORIES.map((n) => `category${n}`)];
    const given = fieldsOfCategories.filter((field) => fields[field] !== undefined);
    // Exports of Medusa 2 have the ids of categories, which mean nothing here.
    const named = given.filter((field) => !/^pcat_\w+$/.test(fields[field]!));
    delete next.category;
    if (named.length > 0) next.categories = JSON.stringify(named.map((field) => fields[field]!));
    else if (fields.type !== undefined) next.category = fields.type;
    if (named.length < given.length) next[LEFT] = given.filter((field) => !named.includes(field)).join();
    if (fields.status !== undefined) next.status = STATUS[fields.status.toLowerCase()] ?? fields.status;
    const weight = fields.weight_g ?? fields.product_weight;
    if (weight !== undefined) next.weight_g = /^\d+\.\d+$/.test(weight) ? String(Math.round(Number(weight))) : weight;
    if (/^(?:false|no|0)$/i.test(fields.tracker ?? '') || /^(?:true|yes|1)$/i.test(fields.oversell ?? '')) {
      next.untracked = 'yes';
    } else if (fields.tracker !== undefined) next.untracked = 'no';
    const pictures = [fields.thumbnail, ...PICTURES.map((n) => fields[`image${n}`])];
    const urls = [...new Set(pictures.filter((url) => url !== undefined))];
    if (urls.length > 0) next.images = urls.join(' ');
    const values = OPTION_FIELDS.flatMap(({ value }) => next[value] ?? []);
    if (values.length > 0) next.variant = values.join(' / ');
    return next;
  },
};
