import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { activeFlow } from '../../marketing/flows/testing/flows.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { loadSendingCompany } from '../settings/settings.ts';
import { handOverDeps } from '../testing/sending.ts';
import { lockContacts } from './gate-queries.ts';

const server = testServer();
/** At night by the first flow's quiet hours, in the day by the second's. */
const NOW = new Date('2026-03-15T23:00:00Z');
const NIGHT = { start: '22:00', end: '08:00', timezone: 'UTC' };
let shop: TestCompany;
let contacts: number[];

beforeAll(async () => {
  server.clock.set(NOW.toISOString());
  shop = await server.company();
  contacts = [];
  for (const email of ['a@example.com', 'b@example.com']) {
    contacts.push((await shop.marketing('POST', '/contacts', { email })).body.contact_id);
  }
});

async function flow(quiet_hours: object | null): Promise<number> {
  const config = { subject: 'Hello', content: '<p>Hello</p>' };
  const steps = [{ step_id: 'mail', type: 'send_email', config }] as const;
  return (await activeFlow(shop, [...steps], { quiet_hours })).flow_id;
}

let ids = 0;
function messageOf(flowId: number, fields: Partial<ClaimedMessage> = {}): ClaimedMessage {
  return {
    companyId: shop.company_id,
    id: ++ids,
    epoch: 1,
    channel: 'email',
    transactional: false,
    contactId: contacts[0]!,
    recipient: null,
    attempts: 0,
    dueAt: NOW,
    wantedAt: NOW,
    origin: { kind: 'flow', flowId, version: 1, runId: 1, stepId: 'mail', eventId: null },
    correlation: null,
    ...fields,
  };
}

test('messages wait for the quiet hours of their own flow, and transactional ones for none', async () => {
  const [quiet, open] = [await flow(NIGHT), await flow(null)];
  const claimed = [messageOf(quiet), messageOf(open), messageOf(quiet, { transactional: true })];
  for (const order of [claimed, claimed.toReversed()]) {
    const { db, gate } = handOverDeps(server);
    const company = await loadSendingCompany(db, shop.company_id);
    const { open: now, settled } = await gate.beforeComposing(db, company, order, NOW);
    expect(new Set(now)).toEqual(new Set(claimed.slice(1)));
    expect(settled).toMatchObject([{ id: claimed[0]!.id, dueAt: new Date('2026-03-16T08:00:00Z') }]);
  }
});

test.each([true, false])('contacts are locked in the order of their ids (alone: %s)', async (alone) => {
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from contacts where id = $1 for update', [contacts[1]]);
  const locked = server.app.db.tenantTx(shop.company_id, (tx) => lockContacts(tx, shop.company_id, contacts, alone));
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await server.rows(waiting)).length).toBe(1);
  const first = client.query('select 1 from contacts where id = $1 for update nowait', [contacts[0]]);
  await expect(first).rejects.toMatchObject({ code: '55P03' });
  await client.query('rollback');
  await client.end();
  expect((await locked).map(({ id }) => id)).toEqual(contacts);
});
