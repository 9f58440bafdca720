import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutgoingMessage } from '../../../messaging/send/transports/port.ts';
import { flowMessages } from '../../../messaging/testing/sending.ts';
import { CHANNELS, type Channel } from '../../../recipients/consent.ts';
import { testServer } from '../../../testing/harness.ts';
import { SEED } from '../../../testing/random/seed.ts';
import { ACTIONS, performRandomAction } from './testing/actions.ts';
import type { Person } from './testing/person.ts';
import { type History, newHistory, type ShopFixture, SMS_TOKEN } from './testing/random-history.ts';
import { wantLess } from './testing/recipient-actions.ts';

// The full number: CONSENT_HISTORIES=10000 vitest run src/marketing/contacts/consent/histories.test.ts
const HISTORIES = Number(process.env.CONSENT_HISTORIES ?? 60);
const SHOPS = 2;
/** Histories that run at the same time. */
const AT_ONCE = 200;
const ROUNDS = 14;
/** Messages are queued after these rounds, and handed over in the next one. */
const QUEUED_AFTER = new Set([4, 8, 12]);
/** In this round, before messages are queued, every second history asks for less. */
const LESS_IN = 8;
const CALLERS = 12;
const STEPS = { email: { subject: 'x', content: '<p>x</p>' }, sms: { content: 'x' } };

const server = testServer({ config: { trustedProxies: ['127.0.0.1'] } });
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const exhaust = async (name: string): Promise<void> => {
  while ((await worker(name).runOnce()) > 0);
};

/** Messages handed over to a transport since the last comparison. */
let handedOver: OutgoingMessage[] = [];
const totals = { actions: {} as Record<string, number>, marketing: 0, refused: 0, limited: 0 };
let fixtures: ShopFixture[];

beforeAll(async () => {
  const { messaging } = server.app;
  messaging.smsToken = SMS_TOKEN;
  for (const channel of CHANNELS) {
    messaging.transports[channel].deliverAll = async (messages) => {
      handedOver.push(...messages);
      return messages.map(() => ({ kind: 'sent', reply: '' }));
    };
  }
});

/** Creates shops for the next histories. */
async function createShops(first: number): Promise<ShopFixture[]> {
  const made: ShopFixture[] = [];
  for (let i = 0; i < SHOPS; i++) {
    const shop = await server.company();
    const number = `+1202${5_550_100 + first + i}`;
    await shop.marketing('PATCH', '/sending-settings', { sms_from: number, track_clicks: false, track_opens: false });
    const list = (await shop.marketing('POST', '/lists', { name: 'All' })).body.list_id;
    const asking = { name: 'Asking', double_opt_in: true };
    const confirmed = (await shop.marketing('POST', '/lists', asking)).body.list_id;
    const product = await shop.commerce('POST', '/products', { name: 'Thing', price: 5, stock_qty: 9_999 });
    const signup = { name: 'Footer', list_ids: [list], max_per_hour: 100_000 };
    const form = (await shop.marketing('POST', '/forms', signup)).body.public_id;
    made.push({ shop, list, confirmed, product: product.body.data.id, number, form });
  }
  return made;
}

afterAll(() => {
  if (process.env.CONSENT_HISTORIES) process.stdout.write(`${JSON.stringify({ SEED, HISTORIES, ...totals })}\n`);
});

async function eachOf(histories: History[], run: (history: History) => Promise<void>): Promise<void> {
  const left = [...histories];
  const call = async (): Promise<void> => {
    for (let history = left.pop(); history !== undefined; history = left.pop()) {
      try {
        await run(history);
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error}\n${history.log.join('\n')}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
}

/** Delivers the outbox, also in the model, and compares the contacts; new ones get their id in the model. */
async function syncOutbox(histories: History[]): Promise<void> {
  await exhaust('outbox');
  for (const { model, news } of histories) {
    for (const [customer, { saidSo }] of news) model.syncCustomer(customer, saidSo);
    news.clear();
  }
  for (const { shop } of fixtures) {
    const rows = await server.rows<{
      id: string;
      external_id: string | null;
      email: string | null;
      phone: string | null;
    }>('select id, external_id, email, phone from contacts where company_id = $1', [shop.company_id]);
    const found = new Map(rows.map((row) => [row.external_id ?? row.email ?? row.phone, row]));
    for (const { model, fixture, log } of histories) {
      if (fixture.shop !== shop) continue;
      for (const person of model.people) {
        const row = found.get(person.external_id ?? person.email ?? person.phone);
        person.id ||= Number(row?.id ?? 0);
        const { id, external_id, email, phone } = person;
        expect({ ...row, id: Number(row?.id), log }).toEqual({ id, external_id, email, phone, log });
      }
    }
  }
}

interface Queued {
  history: History;
  channel: Channel;
  contactId: number;
  /** null for a message of a campaign, since contacts may be merged before it is sent. */
  messageId: number | null;
}

/** Queues a flow message to each contact and a campaign to the list, each by every channel. */
async function queue(histories: History[]): Promise<Queued[]> {
  const queued: Queued[] = [];
  for (const { shop, list } of fixtures) {
    const owners = new Map<number, History>();
    for (const history of histories) {
      if (history.fixture.shop !== shop) continue;
      for (const { id } of history.model.people) owners.set(id, history);
    }
    for (const channel of CHANNELS) {
      const options = { channel, step: STEPS[channel] };
      const { flowId } = await flowMessages(server, shop, [...owners.keys()], options);
      const kind = channel === 'email' ? { subject: 'x', content: '<p>x</p>' } : { content: 'x' };
      const body = { name: 'C', type: channel, list_id: list, ...kind };
      const { body: campaign } = await shop.marketing('POST', '/campaigns', body);
      await shop.marketing('POST', `/campaigns/send/${campaign.campaign_id}`);
      const listed = await server.rows<{ contact_id: string }>(
        "select contact_id from list_memberships where list_id = $1 and status = 'active'",
        [list],
      );
      for (const contactId of listed.map((row) => Number(row.contact_id))) {
        const history = owners.get(contactId);
        const person = history?.model.person(contactId);
        if (history === undefined || person === undefined || history.model.reaches(person, channel) === null) continue;
        queued.push({ history, channel, contactId, messageId: null });
      }
      const rows = await server.rows<{ id: string; contact_id: string }>(
        'select id, contact_id from messages where flow_id = $1',
        [flowId],
      );
      for (const row of rows) {
        const contactId = Number(row.contact_id);
        queued.push({ history: owners.get(contactId)!, channel, contactId, messageId: Number(row.id) });
      }
    }
  }
  await exhaust('campaigns');
  return queued;
}

/** Hands over the messages that are due, and compares the result with the model. */
async function handOver(histories: History[], queued: Queued[]): Promise<void> {
  handedOver = [];
  await exhaust('confirmations');
  await exhaust('sender');
  const rows = await server.rows<{ id: string; transactional: boolean; origin: string }>(
    'select id, transactional, origin from messages where id = any($1)',
    [handedOver.map((message) => message.ledger.messageId)],
  );
  const rowOf = new Map(rows.map((row) => [Number(row.id), row]));
  const owners = new Map(
    histories.flatMap((history) => [...history.emails, ...history.phones].map((to) => [to, history])),
  );
  const byFlow = new Map<number, string>();
  const byCampaign = new Set<string>();
  for (const { ledger, to, channel, ...rest } of handedOver) {
    const { model, received, log } = owners.get(to)!;
    const { transactional, origin } = rowOf.get(ledger.messageId)!;
    const html = 'content' in rest ? (rest.content?.html ?? '') : '';
    const confirmUrl = /href="([^"]*\/u\/(?:confirm|form)\/[^"]*)"/.exec(html)?.[1] ?? null;
    if (!transactional || confirmUrl !== null) {
      received.push({ contactId: ledger.contactId!, messageId: ledger.messageId, to, confirmUrl });
    }
    if (transactional) continue;
    totals.marketing++;
    if (model.refuses(to)) throw new Error(`${to} said no and got message ${ledger.messageId}\n${log.join('\n')}`);
    if (origin === 'campaign') byCampaign.add(`${channel}:${to}`);
    else byFlow.set(ledger.messageId, to);
  }
  /** What people who want less marketing received: ids of messages, and for campaigns the channel. */
  const gotten = new Map<Person, Set<number | Channel>>();
  for (const { history, channel, contactId, messageId } of queued) {
    const { model, log } = history;
    const person = model.person(contactId);
    const to = person === undefined ? null : model.reaches(person, channel);
    const got =
      messageId === null ? to !== null && byCampaign.has(`${channel}:${to}`) : (byFlow.get(messageId) ?? null);
    if (to === null) totals.refused++;
    if (person?.wantsLess) {
      // Which of several messages is sent depends on their order.
      const isMissing = got === null || got === false;
      const received = gotten.get(person) ?? new Set();
      if (!isMissing) gotten.set(person, received.add(messageId ?? channel));
      if (received.size > 1) throw new Error(`contact ${contactId} wants less than it got\n${log.join('\n')}`);
      if (isMissing) totals.limited++;
      if (isMissing) continue;
    }
    if (got === (messageId === null ? to !== null : to)) continue;
    const [row] = await server.rows('select status, reason from messages where id = $1', [messageId]);
    const what = `message ${messageId} by ${channel} to contact ${contactId}, ${JSON.stringify(row)}`;
    throw new Error(`${what}: got ${got}, by the model ${to}\n${JSON.stringify(person)}\n${log.join('\n')}`);
  }
}

test(`in ${HISTORIES} random histories marketing reaches exactly the addresses whose latest consent is a yes`, {
  timeout: 120_000 + HISTORIES * 400,
}, async () => {
  for (let first = 0; first < HISTORIES; first += AT_ONCE) {
    fixtures = await createShops(first);
    const histories = Array.from({ length: Math.min(AT_ONCE, HISTORIES - first) }, (_, i) =>
      newHistory(fixtures[i % SHOPS]!, first + i),
    );
    let queued: Queued[] | null = null;
    for (let round = 1; round <= ROUNDS; round++) {
      await eachOf(histories, async (history) => {
        const name = await performRandomAction(server, history);
        totals.actions[name] = (totals.actions[name] ?? 0) + 1;
      });
      if (round === LESS_IN) {
        await eachOf(
          histories.filter((_, i) => i % 2 === 0),
          (history) => wantLess(server, history),
        );
      }
      await syncOutbox(histories);
      server.clock.advance(60_000);
      if (queued !== null) {
        await handOver(histories, queued);
        queued = null;
      }
      if (QUEUED_AFTER.has(round)) {
        queued = await queue(histories);
        for (const { log } of histories) log.push('— messages are made');
      }
    }
    // Hand over the remaining messages before the next histories begin.
    await handOver(histories, []);
  }
  expect(Object.keys(totals.actions).sort()).toEqual(Object.keys(ACTIONS).sort());
  expect(totals.marketing).toBeGreaterThan(HISTORIES);
  expect(totals.refused).toBeGreaterThan(HISTORIES);
  expect(totals.limited).toBeGreaterThan(0);
});
