import { declareTables } from '../../db/table.ts';

export const commerceLoyaltyTables = declareTables('commerce/loyalty', {
  loyalty_ledger: {
    description: "A change of a customer's points.",
    references: { customer_id: 'kept', order_id: 'kept' },
    erasure: { emptyBy: 'customer_id', set: { reason: 'null' }, rowsPerSlice: 500 },
  },
});
