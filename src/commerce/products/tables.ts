import { declareTables } from '../../db/table.ts';

export const commerceProductsTables = declareTables('commerce/products', {
  products: {
    description: 'A product.',
    notExported: ['record'],
    audit: { products: { noun: 'product', about: 'nobody' } },
    alsoWrittenBy: ['commerce/custom-fields', 'commerce/pictures'],
  },
  facet_values: {
    description: 'A value that products have of an option or a filterable custom field.',
  },
  facet_updates: {
    description: "The progress of counting a company's products again after its filterable custom fields have changed.",
    export: { omitted: 'Progress of a background job.' },
  },
  product_categories: {
    description: 'A product in a category.',
  },
  price_history: {
    description: "A change of a product's price.",
  },
  picture_fetches: {
    description: 'A picture that an imported product refers to by URL, until it is stored.',
    export: { omitted: 'Pending downloads of this installation; the pictures are in the products.' },
  },
});
