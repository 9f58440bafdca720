import { changeConsents, markBounced } from '../../marketing/contacts/service.ts';
import { EMPTY_DEFINITION } from '../../marketing/flows/definition/definition.ts';
import { countSent } from '../../marketing/flows/service.ts';
import type { TestCompany, TestServer } from '../../testing/harness.ts';
import type { QueuedMessage } from '../ledger/message.ts';
import { createCampaignBackoffs, createDomainBackoffs } from '../send/backoffs.ts';
import { createGate } from '../send/gate.ts';
import { queueMessages } from '../service.ts';

/** Inserts a contact directly into the database, with consent to both channels; returns its id. */
export async function contactOf(
  server: TestServer,
  shop: TestCompany,
  fields: { email?: string | null; phone?: string; first_name?: string; properties?: object } = {},
): Promise<number> {
  const { email = `c${Math.random().toString(36).slice(2)}@example.net`, phone = null, first_name = 'Ann' } = fields;
  const [row] = await server.rows<{ id: string }>(
    `insert into contacts (company_id, external_id, email, phone, first_name, properties, sms_consent, search, created_at,
       updated_at)
     values ($1, gen_random_uuid()::text, $2, $3, $4, $5, 'subscribed', '', $6, $6) returning id`,
    [shop.company_id, email, phone, first_name, fields.properties ?? {}, server.clock.now()],
  );
  return Number(row!.id);
}

export const STEP = {
  subject: 'Hello {{ contact.first_name }}',
  content:
    '<html><body><p>Order {{ event.order_id }}</p><a href="https://shop.example/a?x=1&amp;y=2">Shop</a></body></html>',
  preview_text: 'For {{ contact.first_name }}',
};

/** Creates an active flow (started by nothing in tests) with one sending step `s1` and a run per contact; queues one message per run. */
export async function flowMessages(
  server: TestServer,
  shop: TestCompany,
  contactIds: number[],
  options: { step?: object; channel?: 'email' | 'sms'; transactional?: boolean; dueAt?: Date } = {},
): Promise<{ flowId: number; ids: number[] }> {
  const { step = STEP, channel = 'email', transactional = false, dueAt = server.clock.now() } = options;
  const company = shop.company_id;
  const now = server.clock.now();
  const definition = {
    ...EMPTY_DEFINITION,
    steps: [{ step_id: 's1', type: `send_${channel}`, config: step }],
    connections: [],
  };
  const [flow] = await server.rows<{ id: string }>(
    `insert into flows (company_id, name, status, trigger_type, definition, version, created_at, updated_at)
     values ($1, 'Test', 'active', 'cart_abandoned', $2, 1, $3, $3) returning id`,
    [company, definition, now],
  );
  const flowId = Number(flow!.id);
  await server.rows(
    `insert into flow_versions (company_id, flow_id, version, name, trigger_type, definition, listens, awaits, created_at)
     values ($1, $2, 1, 'Test', 'cart_abandoned', $3, '{}', '{}', $4)`,
    [company, flowId, definition, now],
  );
  const runs = await server.rows<{ id: string; contact_id: string }>(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, event, listens, state, entered_at)
     select $1, $2, 1, c, 0, 'completed', jsonb_build_object('event_type', 'order_placed', 'data', jsonb_build_object('order_id', 'o' || c)),
       '{}', '{"vars": {"a": 1}}', $4 from unnest($3::bigint[]) c returning id, contact_id`,
    [company, flowId, contactIds, now],
  );
  const messages = runs.map((run): QueuedMessage => {
    const origin = { kind: 'flow', flowId, version: 1, runId: Number(run.id), stepId: 's1', eventId: null } as const;
    return { idemKey: `f:${run.id}:s1:1`, channel, contactId: Number(run.contact_id), origin, transactional, dueAt };
  });
  await server.app.db.tx((tx) => queueMessages(tx, company, messages, now));
  const rows = await server.rows<{ id: string }>('select id from messages where flow_id = $1 order by id', [flowId]);
  return { flowId, ids: rows.map((row) => Number(row.id)) };
}

/** What a process that lacks no setting needs to hand over messages. */
export function handOverDeps(server: TestServer) {
  const { db, messaging } = server.app;
  const { tokenKey } = messaging;
  const gate = createGate({
    tokenKey,
    missing: [],
    needsSender: false,
    origin: () => server.origin,
    backoffs: createDomainBackoffs(),
    campaignBackoffs: createCampaignBackoffs(),
  });
  return { db, gate, tokenKey, consequences: { changeConsents, markBounced, countSent } };
}

export interface LedgerRow {
  id: number;
  status: string;
  reason: string | null;
  reply: string | null;
  attempts: number;
  due_at: Date;
  recipient: string | null;
}

/** Returns the rows of the ledger with these ids. */
export async function ledgerOf(server: TestServer, ids: number[]): Promise<LedgerRow[]> {
  return server.rows<LedgerRow>(
    `select id::int, status, reason, reply, attempts, due_at, recipient from ledger where id = any($1) order by id`,
    [ids],
  );
}
