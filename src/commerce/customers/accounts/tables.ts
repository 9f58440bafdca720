import { declareTables } from '../../../db/table.ts';

export const customerAccountTables = declareTables('commerce/customers/accounts', {
  customer_sessions: {
    description: 'A session of a customer in the store interface.',
    export: { omitted: 'Customers sign in again in another installation.' },
    references: { customer_id: 'kept' },
    alsoWrittenBy: ['commerce/customers'],
  },
  customer_codes: {
    description: 'A code that was mailed to a customer, or to somebody who may become one.',
    export: { omitted: 'Valid for minutes.' },
    references: { customer_id: 'kept' },
    alsoWrittenBy: ['commerce/customers'],
  },
  customer_passkeys: {
    description: 'A passkey of a customer.',
    export: { omitted: 'Like passwords: customers create new ones in another installation.' },
    references: { customer_id: 'kept' },
    alsoWrittenBy: ['commerce/customers'],
  },
  customer_passkey_challenges: {
    description: 'A challenge that a passkey of a customer has signed, so that it is accepted once.',
    export: { omitted: 'Valid for minutes.' },
  },
  customer_addresses: {
    description: "An address in a customer's address book.",
    references: { customer_id: 'kept' },
    alsoWrittenBy: ['commerce/customers'],
  },
});
