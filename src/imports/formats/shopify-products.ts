import { column, type Fields, type Format } from './format.ts';

/** Shopify's option name of a product's only variant; says nothing about it. */
const DEFAULT = 'Default Title';

/** Products → Export, one row per variant and per image. The second header of a column is that of the format of 2025. */
export const shopifyProducts: Format = {
  name: 'shopify-products',
  title: 'Shopify products',
  kind: 'products',
  separator: 'point',
  groupBy: 'group',
  columns: [
    column('group', 'Handle', 'URL handle'),
    column('name', 'Title'),
    column('description', 'Body (HTML)', 'Description'),
    column('category', 'Type'),
    column('published', 'Published', 'Published on online store'),
    column('option1', 'Option1 Value'),
    column('option2', 'Option2 Value'),
    column('option3', 'Option3 Value'),
    column('sku', 'Variant SKU', 'SKU'),
    column('price', 'Variant Price', 'Price'),
    column('stock', 'Variant Inventory Qty', 'Inventory quantity'),
    column('tracker', 'Variant Inventory Tracker', 'Inventory tracker'),
    column('oversell', 'Variant Inventory Policy', 'Continue selling when out of stock'),
    column('image', 'Image Src', 'Product image URL'),
    column('variant_image', 'Variant Image', 'Variant image URL'),
    column('status', 'Status'),
  ],
  read(fields: Fields, has): Fields {
    const options = [fields.option1, fields.option2, fields.option3];
    const named = options.filter((option) => option !== undefined && option !== DEFAULT);
    const next: Fields = { ...fields };
    if (named.length > 0) next.variant = named.join(' / ');
    // Rows that only add an image have neither a price nor an option.
    if (fields.price === undefined && fields.option1 === undefined && fields.sku === undefined) next.only_image = 'yes';
    // Sold whatever the number says: nothing counts it, or it may be sold below zero.
    if ((has('tracker') && fields.tracker === undefined) || /^(?:continue|true)$/i.test(fields.oversell ?? '')) {
      next.untracked = 'yes';
    }
    if (fields.status !== undefined) next.archived = fields.status.toLowerCase() === 'active' ? 'no' : 'yes';
    return next;
  },
};
