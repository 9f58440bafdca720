import { declareTables } from '../db/table.ts';

export const outboxTables = declareTables('outbox', {
  outbox: {
    description: 'An event for the other side (shop or marketing), deleted in the transaction that handles it.',
    alsoWrittenBy: ['erasure'],
  },
  outbox_refusals: {
    description: 'An event of the outbox that the other side refused, with the reason.',
    audit: { 'outbox/refusals': { noun: 'outbox_refusal', about: 'several' } },
  },
  webhook_endpoints: {
    description: 'An address that receives notifications about the shop.',
    notExported: ['secret'],
    audit: { 'webhook-endpoints': { noun: 'webhook_endpoint', about: 'nobody' } },
  },
  webhook_deliveries: {
    description: 'A delivery to a webhook endpoint.',
    references: { message_id: 'stays' },
    retention: {
      kind: 'webhook_deliveries',
      createdAt: 'created_at',
      finished: { at: 'finished_at', when: "status <> 'pending'" },
    },
    alsoWrittenBy: ['erasure'],
  },
});
