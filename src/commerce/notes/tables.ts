import { declareTables } from '../../db/table.ts';

export const commerceNotesTables = declareTables('commerce/notes', {
  notes: {
    description: 'A note by staff about a customer or an order.',
    references: { customer_id: 'kept', order_id: 'kept' },
    audit: {
      'customer-notes': { noun: 'customer_note', about: 'several' },
      'order-notes': { noun: 'order_note', about: 'several' },
    },
  },
});
