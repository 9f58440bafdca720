import { declareTables } from '../../db/table.ts';

export const commerceProductsTables = declareTables('commerce/products', {
  products: {
    description: 'A product.',
    notExported: ['record'],
    audit: { products: { noun: 'product', about: 'nobody' } },
  },
  product_stock: {
    description: 'The stock of a product, in a narrow row of its own that orders update.',
    alsoWrittenBy: ['commerce/orders'],
  },
  categories: {
    description: 'A category of products.',
  },
  product_categories: {
    description: 'A product in a category.',
  },
  stock_movements: {
    description: "A change of a product's stock; one row per cause.",
    sequences: { reference: 'stock_adjustment_id' },
    alsoWrittenBy: ['commerce/orders'],
  },
  price_history: {
    description: "A change of a product's price.",
  },
  picture_fetches: {
    description: 'A picture that an imported product refers to by URL, until it is stored.',
    export: { omitted: 'Work of this installation; what it stored is in the products.' },
  },
});
