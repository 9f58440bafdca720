import { declareTables } from '../../db/table.ts';

export const marketingListsTables = declareTables('marketing/lists', {
  lists: {
    description: 'A list of contacts.',
    staffTexts: { columns: { name: 'text', description: 'text' } },
    audit: { lists: { noun: 'list', about: 'nobody', mayName: true } },
  },
  list_memberships: {
    description: "A contact's membership in a list.",
    references: { contact_id: 'erasure' },
    alsoWrittenBy: ['marketing/contacts'],
  },
});
