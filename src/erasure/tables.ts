import { declareTables } from '../db/table.ts';

export const erasureTables = declareTables('erasure', {
  erasures: {
    description: 'An erasure and its progress. Data needed to find the person is encrypted, and deleted at the end.',
    export: { omitted: 'Applies to this installation alone.' },
    references: { contact_ids: 'erasure', customer_id: 'kept' },
  },
});
