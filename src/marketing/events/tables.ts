import { declareTables } from '../../db/table.ts';

export const marketingEventsTables = declareTables('marketing/events', {
  event_types: {
    description: 'A type of events.',
    audit: { 'event-types': { noun: 'event_type', about: 'nobody', mayName: true } },
  },
  events: {
    description: 'An event of a contact.',
    sequences: { event_id: 'event_ids' },
    references: { contact_id: 'erasure', event_id: 'stays' },
    audit: { events: { noun: 'event', about: 'several' } },
    alsoWrittenBy: ['erasure', 'marketing/contacts'],
  },
  events_default: {
    description: 'Events with a time outside of the existing months.',
    export: { omitted: 'Belongs to the installation.' },
  },
  event_keys: {
    description: 'A key that recognizes a repeated event.',
    references: { event_id: 'ends' },
  },
  event_totals: {
    description: "Totals of a contact's events from past days, by type.",
    export: 'totals',
    references: { contact_id: 'erasure' },
    alsoWrittenBy: ['erasure', 'exports', 'marketing/contacts'],
  },
  event_totals_state: {
    description: 'The time up to which events are included in event_totals; one row.',
    export: { omitted: 'Belongs to the installation.' },
  },
});
