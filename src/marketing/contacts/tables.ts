import { declareTables } from '../../db/table.ts';

export const marketingContactsTables = declareTables('marketing/contacts', {
  contacts: {
    description: 'A contact.',
    audit: { contacts: { noun: 'contact', about: 'contact' } },
  },
  contact_activity: {
    description: "A change of a contact's status, lists or preferences, or a merge.",
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    retention: { kind: 'contact_activity', createdAt: 'created_at', among: "type <> 'merged'" },
    alsoWrittenBy: ['marketing/lists'],
  },
  contact_erasures: {
    description: 'The id of an erased contact.',
    references: { contact_id: 'erasure' },
  },
  contact_former_keys: {
    description: 'A previous address, number or id of a contact.',
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
  },
  contact_consents: {
    description: "A change of a contact's consent, or a consent given with evidence.",
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
  },
  contact_last_activity: {
    description: 'The time of the last event of a contact.',
    export: { omitted: 'Derived: read from the events after a company is loaded.' },
    references: { contact_id: 'erasure' },
  },
  contact_activity_state: {
    description: 'The progress of writing contact_last_activity; one row.',
    export: { omitted: 'Belongs to the installation.' },
    alsoWrittenBy: ['exports'],
  },
});
