import { declareTables } from '../../db/table.ts';

export const commerceCustomersTables = declareTables('commerce/customers', {
  customers: {
    description: 'A customer. An erasure makes it anonymous.',
    notExported: ['password_hash'],
    audit: { customers: { noun: 'customer', about: 'customer' } },
    alsoWrittenBy: ['commerce/custom-fields', 'commerce/customers/accounts'],
  },
  customer_accounts: {
    description: 'The values of a customer that orders change.',
    references: { customer_id: 'kept' },
    alsoWrittenBy: ['commerce/loyalty', 'commerce/orders'],
  },
  password_attempts: {
    description: 'Attempts at the password of a customer within a time window.',
    export: { omitted: 'Counts of an hour.' },
    references: { customer_id: 'kept' },
  },
  customer_figures: {
    description: 'The values that the customer list is sorted by: the amount spent and the time of the last order.',
    export: { omitted: 'Derived: made by triggers while a company is loaded.' },
    references: { customer_id: 'kept' },
  },
  customer_figure_deltas: {
    description: 'Changes of customer_figures that are not folded yet.',
    export: { omitted: 'Derived: made by triggers while a company is loaded.' },
    references: { customer_id: 'kept' },
    alsoWrittenBy: ['commerce/invariants.ts'],
  },
});
