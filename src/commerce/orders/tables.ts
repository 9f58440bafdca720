import { declareTables } from '../../db/table.ts';

export const commerceOrdersTables = declareTables('commerce/orders', {
  orders: {
    description: 'An order.',
    references: { customer_id: 'kept' },
    erasure: {
      emptyBy: 'customer_id',
      set: {
        shipping_address: "''",
        shipping_city: "''",
        shipping_zip: "''",
        tracking_number: 'null',
        billing: 'null',
        metadata: "'{}'",
        custom: "'{}'",
      },
      rowsPerSlice: 200,
    },
    audit: { orders: { noun: 'order', about: 'customer_id' } },
    alsoWrittenBy: ['commerce/custom-fields'],
  },
  order_items: {
    description: 'A line of an order.',
    references: { order_id: 'kept' },
  },
  order_history: {
    description: "A change of an order's status.",
    references: { order_id: 'kept' },
    erasure: { emptyWith: 'orders', column: 'order_id', set: { message: 'null' } },
  },
});
