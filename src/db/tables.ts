import { declareTables } from './table.ts';

export const dbTables = declareTables('db', {
  installation: {
    description: 'The installation; one row.',
    export: { omitted: 'Belongs to the installation.' },
    alsoWrittenBy: ['installation.ts', 'messaging/ledger'],
  },
  idempotency_keys: {
    description: 'The response to a request with an Idempotency-Key, kept for a day.',
    export: { omitted: 'Responses of the last day.' },
    alsoWrittenBy: ['erasure'],
  },
  list_counts: {
    description: 'Totals of long lists.',
    export: 'totals',
  },
  list_count_deltas: {
    description: 'Changes of list_counts that are not folded yet.',
    export: 'totals',
    alsoWrittenBy: ['marketing/campaigns'],
  },
  list_spans: {
    description: 'Sums of list_counts.',
    export: { omitted: 'Derived: sums of list_counts.' },
  },
});
