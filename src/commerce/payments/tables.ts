import { declareTables } from '../../db/table.ts';

export const commercePaymentTables = declareTables('commerce/payments', {
  payment_methods: {
    description: 'A payment method.',
    audit: { 'payment-methods': { noun: 'payment_method', about: 'nobody' } },
  },
});
