import { column, type Fields, type Format, type Inheritance } from './format.ts';

/** Products that have variations. WooCommerce Subscriptions has types of its own. */
const WITH_VARIATIONS = ['variable', 'variable-subscription'];
const VARIATIONS = ['variation', 'subscription_variation'];
/** Products that are not sold themselves. */
const NOT_SOLD = [...WITH_VARIATIONS, 'grouped', 'external'];

/** `variation, virtual`: the first is the type, the others say more of it. */
function typeOf({ type }: Fields): string {
  return (type ?? '').replace(/,.*/s, '').trim();
}

/**
 * WooCommerce shows a variation with what its product has where the variation has none, and writes `parent` where it shares the
 * product's tax class or stock. A shared stock is left out: each variation would have all of it.
 */
const variations: Inheritance = {
  referencesTo: (fields) =>
    WITH_VARIATIONS.includes(typeOf(fields))
      ? [...(fields.sku === undefined ? [] : [fields.sku]), ...(fields.id === undefined ? [] : [`id:${fields.id}`])]
      : [],
  referenceIn: (fields) => (VARIATIONS.includes(typeOf(fields)) ? (fields.parent ?? '') : undefined),
  keeps: ['categories', 'images', 'tax_class', 'archived'],
  inherit(fields, product) {
    const { stock, tax_class, ...own } = fields;
    const next: Fields = { ...own };
    if (stock !== undefined && stock !== 'parent') next.stock = stock;
    const taxClass = tax_class === 'parent' ? product.tax_class : tax_class;
    if (taxClass !== undefined) next.tax_class = taxClass;
    for (const field of ['categories', 'images'] as const) {
      const text = fields[field] ?? product[field];
      if (text !== undefined) next[field] = text;
    }
    if (product.archived === 'yes') next.archived = 'yes';
    return next;
  },
};

/** Products → Export. Variations have their own rows, whose names contain the parent's name and their attributes. */
export const woocommerceProducts: Format = {
  name: 'woocommerce-products',
  title: 'WooCommerce products',
  kind: 'products',
  columns: [
    column('id', 'ID'),
    column('parent', 'Parent'),
    column('type', 'Type'),
    column('sku', 'SKU'),
    column('name', 'Name'),
    column('published', 'Published'),
    column('description', 'Description'),
    column('short_description', 'Short description'),
    column('sale_from', 'Date sale price starts'),
    column('sale_to', 'Date sale price ends'),
    column('tax_class', 'Tax class'),
    column('stock', 'Stock'),
    column('sale_price', 'Sale price'),
    column('price', 'Regular price'),
    column('categories', 'Categories'),
    column('images', 'Images'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    const type = typeOf(fields);
    if (NOT_SOLD.includes(type)) next.skip = `A ${type} product is not sold itself`;
    if (fields.description === undefined && fields.short_description !== undefined) {
      next.description = fields.short_description;
    }
    // 1 published, 0 private, -1 a draft.
    if (fields.published !== undefined) next.archived = fields.published === '1' ? 'no' : 'yes';
    delete next.published;
    return next;
  },
  inheritance: variations,
};
