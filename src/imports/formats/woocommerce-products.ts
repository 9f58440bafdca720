import { column, type Fields, type Format } from './format.ts';

/** Products → Export. Variations have rows of their own, with the parent's name and their attributes in their name. */
export const woocommerceProducts: Format = {
  name: 'woocommerce-products',
  title: 'WooCommerce products',
  kind: 'products',
  columns: [
    column('type', 'Type'),
    column('sku', 'SKU'),
    column('name', 'Name'),
    column('published', 'Published'),
    column('description', 'Description'),
    column('short_description', 'Short description'),
    column('tax_class', 'Tax class'),
    column('stock', 'Stock'),
    column('sale_price', 'Sale price'),
    column('price', 'Regular price'),
    column('categories', 'Categories'),
    column('images', 'Images'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    if (fields.type === 'variable' || fields.type === 'grouped' || fields.type === 'external') {
      next.skip = `A ${fields.type} product is not sold itself`;
    }
    if (fields.description === undefined && fields.short_description !== undefined) {
      next.description = fields.short_description;
    }
    if (fields.sale_price !== undefined) next.price = fields.sale_price;
    // 1 published, 0 private, -1 a draft.
    if (fields.published !== undefined) next.archived = fields.published === '1' ? 'no' : 'yes';
    delete next.published;
    return next;
  },
};
