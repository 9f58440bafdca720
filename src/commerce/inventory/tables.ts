import { declareTables } from '../../db/table.ts';

export const commerceInventoryTables = declareTables('commerce/inventory', {
  locations: {
    description: 'A place where the shop keeps stock.',
    filledByTriggers: true,
    audit: { locations: { noun: 'location', about: 'nobody' } },
  },
  product_stock: {
    description: 'The stock of a product, in a narrow row of its own that orders update.',
    audit: { inventory: { noun: 'inventory', about: 'nobody' } },
  },
  stock_levels: {
    description: 'The stock of a product at a location other than the main one.',
  },
  stock_movements: {
    description: "A change of a product's stock.",
  },
  order_allocations: {
    description: 'How many units of an order line were taken at a location, in companies with several locations.',
    references: { order_id: 'kept' },
  },
  reservations: {
    description: 'Stock, a promo code use and points that are set aside for a cart, until a time.',
    references: { customer_id: 'kept' },
  },
  reservation_items: {
    description: 'Units of a product that are set aside at a location.',
  },
  stock_adjustments: {
    description: 'Changes of the stock of several products that staff made together.',
    audit: { 'inventory/adjustments': { noun: 'stock_adjustment', about: 'nobody' } },
  },
  stock_receipts: {
    description: 'Goods that arrived from a supplier.',
    audit: { 'inventory/receipts': { noun: 'stock_receipt', about: 'nobody' } },
  },
  stock_transfers: {
    description: 'Goods on their way from one location to another.',
    audit: { 'inventory/transfers': { noun: 'stock_transfer', about: 'nobody' } },
  },
});
