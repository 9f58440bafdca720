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
    column('seo_title', 'SEO Title', 'SEO title'),
    column('seo_description', 'SEO Description', 'SEO description'),
    column('category', 'Type'),
    column('published', 'Published', 'Published on online store'),
    column('option1_name', 'Option1 Name'),
    column('option1_value', 'Option1 Value'),
    column('option2_name', 'Option2 Name'),
    column('option2_value', 'Option2 Value'),
    column('option3_name', 'Option3 Name'),
    column('option3_value', 'Option3 Value'),
    column('sku', 'Variant SKU', 'SKU'),
    column('price', 'Variant Price', 'Price'),
    column('barcode', 'Variant Barcode', 'Barcode'),
    column('compare_at_price', 'Variant Compare At Price', 'Compare-at price'),
    column('cost', 'Cost per item'),
    column('weight_g', 'Variant Grams', 'Weight value (grams)'),
    column('requires_shipping', 'Variant Requires Shipping', 'Requires shipping'),
    column('stock', 'Variant Inventory Qty', 'Inventory quantity'),
    column('tracker', 'Variant Inventory Tracker', 'Inventory tracker'),
    column('oversell', 'Variant Inventory Policy', 'Continue selling when out of stock'),
    column('image', 'Image Src', 'Product image URL'),
    column('variant_image', 'Variant Image', 'Variant image URL'),
    column('status', 'Status'),
  ],
  read(fields: Fields, has): Fields {
    const next: Fields = { ...fields };
    if (fields.option1_value === DEFAULT) {
      delete next.option1_name;
      delete next.option1_value;
    }
    const values = [next.option1_value, next.option2_value, next.option3_value];
    const named = values.filter((value) => value !== undefined);
    // Weights that were entered in pounds have decimals of a gram.
    if (/^\d+\.\d+$/.test(fields.weight_g ?? '')) next.weight_g = String(Math.round(Number(fields.weight_g)));
    if (named.length > 0) next.variant = named.join(' / ');
    // Rows that only add an image have neither a price nor an option.
    if (fields.price === undefined && fields.option1_value === undefined && fields.sku === undefined)
      next.only_image = 'yes';
    // Sold whatever the number says: nothing counts it, or it may be sold below zero.
    if ((has('tracker') && fields.tracker === undefined) || /^(?:continue|true)$/i.test(fields.oversell ?? '')) {
      next.untracked = 'yes';
    } else if (fields.tracker !== undefined) next.untracked = 'no';
    // Those that are not listed can still be bought there by their address.
    if (/^unlisted$/i.test(fields.status ?? '')) next.status = 'archived';
    return next;
  },
};
