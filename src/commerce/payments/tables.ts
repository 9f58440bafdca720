import { declareTables } from '../../db/table.ts';

export const commercePaymentTables = declareTables('commerce/payments', {
  payment_methods: {
    description: 'A payment method.',
    audit: { 'payment-methods': { noun: 'payment_method', about: 'nobody' } },
  },
  payment_accounts: {
    description: 'An account at a payment service.',
    notExported: ['sealed_config', 'webhook_token'],
    audit: { 'payment-accounts': { noun: 'payment_account', about: 'nobody' } },
  },
  payments: {
    description: 'An attempt to pay a cart or an order by one method.',
    references: { order_id: 'kept' },
    erasure: { emptyWith: 'orders', column: 'order_id', set: { reference: 'null', failure: 'null' } },
    notExported: ['next_action'],
    audit: { payments: { noun: 'payment', about: 'nobody' } },
    // Attempts without an order go with their carts.
    retention: {
      kind: 'carts',
      createdAt: 'created_at',
      finished: { at: 'updated_at', when: "order_id is null and status in ('cancelled', 'failed') and captured = 0" },
      among: 'order_id is null',
    },
  },
  payment_operations: {
    description: 'A call to a payment service.',
    retention: {
      kind: 'carts',
      createdAt: 'created_at',
      finished: { at: 'updated_at', when: 'due_at is null' },
      among: 'due_at is null',
    },
  },
  saved_payment_methods: {
    description: 'A means of payment that a customer let a payment service keep.',
    references: { customer_id: 'kept' },
    erasure: {
      emptyBy: 'customer_id',
      set: { label: "''", brand: 'null', last4: 'null', expires_on: 'null', removed: 'true' },
      rowsPerSlice: 200,
    },
    notExported: ['sealed_token'],
    audit: { 'saved-payment-methods': { noun: 'saved_payment_method', about: 'nobody' } },
  },
  payment_webhook_events: {
    description: 'A webhook of a payment service.',
    export: { omitted: 'only so that a webhook is processed once' },
  },
  order_ledger: {
    description: "A line of an order's ledger: what was charged, paid and refunded.",
    references: { order_id: 'kept' },
    erasure: { emptyWith: 'orders', column: 'order_id', set: { reference: 'null' } },
  },
  order_balances: {
    description: "The sums of an order's ledger.",
    references: { order_id: 'kept' },
  },
  refunds: {
    description: 'Money of an order that was given back.',
    references: { order_id: 'kept' },
    erasure: { emptyWith: 'orders', column: 'order_id', set: { reason: 'null' } },
  },
  refund_lines: {
    description: 'Units of an order line that a refund names.',
    references: { order_id: 'kept' },
  },
});
