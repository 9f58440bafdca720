import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutgoingMessage } from '../../../messaging/send/transports/port.ts';
import { flowMessages } from '../../../messaging/testing/sending.ts';
import { testServer } from '../../../testing/harness.ts';
import { CHANNELS, type Channel } from './states.ts';
import { ACTIONS, happen } from './testing/actions.ts';
import { type History, newHistory, SMS_TOKEN, type Town } from './testing/history.ts';
import type { Person } from './testing/person.ts';

// All of them: CONSENT_HISTORIES=10000 vitest run src/marketing/contacts/consent/histories.test.ts
const HISTORIES = Number(process.env.CONSENT_HISTORIES ?? 200);
const SEED = Number(process.env.CONSENT_SEED ?? 15);
const TOWNS = 2;
/** Histories that take place beside each other. */
const AT_ONCE = 200;
const ROUNDS = 14;
/** Messages are made after these rounds, and handed over after the next one. */
const QUEUED_AFTER = new Set([4, 8, 12]);
const CALLERS = 12;
const STEPS = { email: { subject: 'x', content: '<p>x</p>' }, sms: { content: 'x' } };

const server = testServer({ config: { trustedProxies: ['127.0.0.1'] } });
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const exhaust = async (name: string): Promise<void> => {
  while ((await worker(name).runOnce()) > 0);
};

/** All that was handed over to a transport since it was last looked at. */
let handedOver: OutgoingMessage[] = [];
const told = { actions: {} as Record<string, number>, marketing: 0, refused: 0, limited: 0 };
let towns: Town[];

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

/** Shops that are nobody's yet. */
async function found(first: number): Promise<Town[]> {
  const made: Town[] = [];
  for (let i = 0; i < TOWNS; i++) {
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
  if (process.env.CONSENT_HISTORIES) process.stdout.write(`${JSON.stringify({ SEED, HISTORIES, ...told })}\n`);
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

/** The marketing side hears of what happened in the shops; who was made by it gets an id in the model. */
async function carry(histories: History[]): Promise<void> {
  await exhaust('outbox');
  for (const { words, news } of histories) {
    for (const [customer, { saidSo }] of news) words.hear(customer, saidSo);
    news.clear();
  }
  for (const { shop } of towns) {
    const rows = await server.rows<{
      id: string;
      external_id: string | null;
      email: string | null;
      phone: string | null;
    }>('select id, external_id, email, phone from contacts where company_id = $1', [shop.company_id]);
    const found = new Map(rows.map((row) => [row.external_id ?? row.email ?? row.phone, row]));
    for (const { words, town, log } of histories) {
      if (town.shop !== shop) continue;
      for (const person of words.people) {
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
  /** null: of the campaign that is named, of which several people may become one. */
  messageId: number | null;
}

/** A message of a flow to everybody by every channel, and a campaign of each channel to the list. */
async function queue(histories: History[]): Promise<Queued[]> {
  const queued: Queued[] = [];
  for (const { shop, list } of towns) {
    const owners = new Map<number, History>();
    for (const history of histories) {
      if (history.town.shop !== shop) continue;
      for (const { id } of history.words.people) owners.set(id, history);
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
        const person = history?.words.person(contactId);
        if (history === undefined || person === undefined || history.words.reaches(person, channel) === null) continue;
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

/** Hands over what is due, and compares it with the last words. */
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
    const { words, received, log } = owners.get(to)!;
    const { transactional, origin } = rowOf.get(ledger.messageId)!;
    const html = 'content' in rest ? (rest.content?.html ?? '') : '';
    const confirmUrl = /href="([^"]*\/u\/(?:confirm|form)\/[^"]*)"/.exec(html)?.[1] ?? null;
    if (!transactional || confirmUrl !== null) {
      received.push({ contactId: ledger.contactId!, messageId: ledger.messageId, to, confirmUrl });
    }
    if (transactional) continue;
    told.marketing++;
    if (words.refuses(to)) throw new Error(`${to} said no and got message ${ledger.messageId}\n${log.join('\n')}`);
    if (origin === 'campaign') byCampaign.add(`${channel}:${to}`);
    else byFlow.set(ledger.messageId, to);
  }
  /** Of those who want less: their messages, of campaigns the channels. */
  const gotten = new Map<Person, Set<number | Channel>>();
  for (const { history, channel, contactId, messageId } of queued) {
    const { words, log } = history;
    const person = words.person(contactId);
    const to = person === undefined ? null : words.reaches(person, channel);
    const got =
      messageId === null ? to !== null && byCampaign.has(`${channel}:${to}`) : (byFlow.get(messageId) ?? null);
    if (to === null) told.refused++;
    if (person?.getsLess) {
      // Which of several it is depends on their order.
      const isMissing = got === null || got === false;
      const received = gotten.get(person) ?? new Set();
      if (!isMissing) gotten.set(person, received.add(messageId ?? channel));
      if (received.size > 1) throw new Error(`contact ${contactId} wants less than it got\n${log.join('\n')}`);
      if (isMissing) told.limited++;
      if (isMissing) continue;
    }
    if (got === (messageId === null ? to !== null : to)) continue;
    const [row] = await server.rows('select status, reason from messages where id = $1', [messageId]);
    const what = `message ${messageId} by ${channel} to contact ${contactId}, ${JSON.stringify(row)}`;
    throw new Error(`${what}: got ${got}, by the words ${to}\n${JSON.stringify(person)}\n${log.join('\n')}`);
  }
}

test(`in ${HISTORIES} random histories marketing reaches exactly the addresses whose latest consent is a yes`, {
  timeout: 120_000 + HISTORIES * 400,
}, async () => {
  for (let first = 0; first < HISTORIES; first += AT_ONCE) {
    towns = await found(first);
    const histories = Array.from({ length: Math.min(AT_ONCE, HISTORIES - first) }, (_, i) =>
      newHistory(towns[i % TOWNS]!, first + i, SEED),
    );
    let queued: Queued[] | null = null;
    for (let round = 1; round <= ROUNDS; round++) {
      await eachOf(histories, async (history) => {
        const name = await happen(server, history);
        told.actions[name] = (told.actions[name] ?? 0) + 1;
      });
      await carry(histories);
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
    // Replies to the last words, before the next histories begin.
    await handOver(histories, []);
  }
  expect(Object.keys(told.actions).sort()).toEqual(Object.keys(ACTIONS).sort());
  expect(told.marketing).toBeGreaterThan(HISTORIES);
  expect(told.refused).toBeGreaterThan(HISTORIES);
  expect(told.limited).toBeGreaterThan(0);
});
