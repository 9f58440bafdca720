import { declareTables } from '../../db/table.ts';

export const commerceInventoryTables = declareTables('commerce/inventory', {
  product_stock: {
    description: 'The stock of a product, in a narrow row of its own that orders update.',
  },
  stock_movements: {
    description: "A change of a product's stock; one row per cause.",
    sequences: { reference: 'stock_adjustment_id' },
  },
});
