import { declareTables } from '../../db/table.ts';

export const commerceSubscriptionsTables = declareTables('commerce/subscriptions', {
  subscription_frequencies: {
    description: 'How often a subscription is renewed.',
    filledByTriggers: true,
    sequences: { id: 'subscription_frequency_ids' },
    audit: { 'subscription-frequencies': { noun: 'subscription_frequency', about: 'nobody' } },
  },
  subscriptions: {
    description: 'A subscription of a customer to a product.',
    references: { customer_id: 'kept' },
    erasure: {
      emptyBy: 'customer_id',
      set: {
        shipping_address: "''",
        shipping_city: "''",
        shipping_zip: "''",
        pause_reason: 'null',
        cancel_reason: "case when cancel_reason is not null then 'customer_erased' end",
      },
      rowsPerSlice: 200,
    },
    audit: { subscriptions: { noun: 'subscription', about: 'customer_id' } },
  },
  subscription_cycles: {
    description: 'A past date of a subscription, with its order or the reason for having none.',
    references: { order_id: 'kept' },
  },
  subscription_history: {
    description: 'A change of a subscription.',
    erasure: { emptyWith: 'subscriptions', column: 'subscription_id', set: { message: 'null' } },
  },
});
