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
  counter_totals: {
    description: 'Values of counters: totals of lists, figures of reports.',
    export: 'totals',
  },
  counter_deltas: {
    description: 'Changes of counters that are not folded into counter_totals yet.',
    export: 'totals',
    alsoWrittenBy: ['marketing/campaigns', 'marketing/flows', 'messaging/feedback'],
  },
});
