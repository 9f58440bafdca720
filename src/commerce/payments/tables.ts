import { declareTables } from '../../db/table.ts';

export const commercePaymentTables = declareTables('commerce/payments', {
  payment_methods: {
    description: 'A payment method.',
    audit: { 'payment-methods': { noun: 'payment_method', about: 'nobody' } },
  },
  payments: {
    description: 'An attempt to pay a cart or an order by one method.',
    references: { order_id: 'kept' },
    // Attempts without an order go with their carts.
    retention: {
      kind: 'carts',
      createdAt: 'created_at',
      finished: { at: 'updated_at', when: "order_id is null and status = 'cancelled'" },
      among: 'order_id is null',
    },
  },
});
