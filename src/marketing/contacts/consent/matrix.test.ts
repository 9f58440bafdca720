import { beforeAll, describe, expect, test } from 'vitest';
import { type QueuedMessage, queueMessages } from '../../../messaging/service.ts';
import { flowMessages, ledgerOf } from '../../../messaging/testing/sending.ts';
import { CHANNELS, type Channel, CONSENT_SOURCES, type ConsentState } from '../../../recipients/consent.ts';
import { testServer } from '../../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../../testing/people.ts';
import * as make from './testing/matrix.ts';

const server = testServer({ config: { trustedProxies: ['127.0.0.1'] } });
let square: make.Square;
let owner: TestPerson;

beforeAll(async () => {
  server.app.messaging.smsToken = make.SMS_TOKEN;
  const [shop, cautious] = [await server.company(), await server.company()];
  await cautious.marketing('PATCH', '/sending-settings', { new_contacts_by_events: 'never' });
  const number = '+12025550100';
  await shop.marketing('PATCH', '/sending-settings', { sms_from: number });
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'Asked', double_opt_in: true });
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  square = { server, shop, cautious, list: list.list_id, number };
});

/** Kinds of messages. Transactional messages are not subject to the limits of marketing. */
const KINDS = {
  flow: 'marketing',
  campaign: 'marketing',
  receipt: 'transactional',
  confirmation: 'transactional',
} as const;
type Kind = keyof typeof KINDS;

/** Expected outcomes of messages. */
const SENT = { marketing: 'sent', transactional: 'sent' };
const LEFT = { marketing: 'unsubscribed', transactional: 'sent' };
const NEVER = { marketing: 'never_consented', transactional: 'sent' };
const SUPPRESSED = { marketing: 'suppressed_unsubscribe', transactional: 'sent' };
const COMPLAINED = { marketing: 'suppressed_complaint', transactional: 'suppressed_complaint' };

interface Row {
  source: string;
  channel: Channel;
  state: ConsentState;
  /** Shown in the test's name next to channel and state. */
  by?: string;
  made: () => Promise<make.Made>;
  becomes: Record<'marketing' | 'transactional', string>;
}

async function after(made: Promise<make.Made>, ...words: ((made: make.Made) => Promise<void>)[]): Promise<make.Made> {
  const contact = await made;
  for (const say of words) await say(contact);
  return contact;
}

const said = { subscribed: SENT, unsubscribed: LEFT, never: NEVER };
const STATES = ['subscribed', 'unsubscribed', 'never'] as const;
const leaving = (made: make.Made) => make.leave(square, made, ['email', 'sms']);
const oneClick = (made: make.Made) => make.click(square, made, 'List-Unsubscribe=One-Click');
const everything = (made: make.Made) => make.click(square, made, 'leave=everything');
const complaint = ({ email }: make.Made) => make.report(square, 'complaint', email);
const stop = (made: make.Made) => make.text(square, made, 'STOP');
const start = (made: make.Made) => make.text(square, made, 'START');
const agreeing = (made: make.Made) => make.click(square, made, 'channel=yes-email');
const confirming = (made: make.Made) => make.confirm(square, made);

const ROWS: Row[] = [
  ...CHANNELS.flatMap((channel) =>
    STATES.flatMap((state): Row[] => [
      { source: 'api', channel, state, made: () => make.contact(square, { [channel]: state }), becomes: said[state] },
      {
        source: 'api',
        channel,
        state,
        by: 'in a batch',
        made: () => make.inBatch(square, { [channel]: state }),
        becomes: said[state],
      },
      {
        source: 'person',
        channel,
        state,
        made: () => make.byPerson(square, owner, { [channel]: state }),
        becomes: said[state],
      },
      {
        source: 'import',
        channel,
        state,
        made: () => make.imported(square, { [channel]: state }),
        becomes: said[state],
      },
    ]),
  ),
  ...[
    ['event', 'email', 'subscribed', () => make.byEvent(square, square.shop), SENT],
    ['event', 'email', 'never', () => make.byEvent(square, square.cautious), NEVER, 'a company that asks first'],
    ['event', 'sms', 'never', () => make.byEvent(square, square.shop), NEVER],
    ['shop', 'email', 'subscribed', () => make.customer(square, true), SENT, 'registered with a yes'],
    ['shop', 'email', 'never', () => make.customer(square, false), NEVER, 'registered with a no'],
    ['shop', 'email', 'never', () => make.customer(square, true, false), SUPPRESSED, 'a yes taken back'],
    ['shop', 'email', 'subscribed', () => make.customer(square, true, false, true), SENT, 'a no taken back'],
    ['shop', 'sms', 'never', () => make.customer(square, true), NEVER, 'asked about e-mail alone'],
    ['shop', 'sms', 'never', () => make.customer(square, true, false), SUPPRESSED, 'a no to everything'],
    ['shop', 'sms', 'never', () => make.customer(square, true, false, true), SUPPRESSED, 'a yes to e-mail alone'],
    ['double_opt_in', 'email', 'subscribed', () => after(make.contact(square), leaving, confirming), SENT],
    ['double_opt_in', 'sms', 'unsubscribed', () => after(make.contact(square), leaving, confirming), LEFT],
    ['one_click', 'email', 'unsubscribed', () => after(make.contact(square), oneClick), LEFT],
    ['one_click', 'sms', 'subscribed', () => after(make.contact(square), oneClick), SENT],
    ['preference_page', 'email', 'unsubscribed', () => after(make.contact(square), everything), LEFT],
    ['preference_page', 'sms', 'unsubscribed', () => after(make.contact(square), everything), LEFT],
    ['preference_page', 'email', 'subscribed', () => after(make.contact(square), leaving, agreeing), SENT],
    ['form', 'email', 'subscribed', () => make.signedUp(square, { double_opt_in: false }), SENT],
    ['form', 'email', 'never', () => make.signedUp(square, { double_opt_in: true }), NEVER, 'not yet confirmed'],
    ['form', 'sms', 'never', () => make.signedUp(square, { double_opt_in: false }), NEVER, 'of e-mail alone'],
    ['complaint', 'email', 'unsubscribed', () => after(make.contact(square), complaint), COMPLAINED],
    ['complaint', 'sms', 'subscribed', () => after(make.contact(square), complaint), SENT],
    ['sms_keyword', 'sms', 'unsubscribed', () => after(make.contact(square), stop), LEFT, 'STOP'],
    ['sms_keyword', 'sms', 'subscribed', () => after(make.contact(square), stop, start), SENT, 'START'],
    ['sms_keyword', 'email', 'subscribed', () => after(make.contact(square), stop), SENT, 'STOP'],
  ].map((row) => {
    const [source, channel, state, made, becomes, by] = row as [
      string,
      Channel,
      ConsentState,
      Row['made'],
      Row['becomes'],
      string?,
    ];
    return { source, channel, state, made, becomes, ...(by === undefined ? {} : { by }) };
  }),
];

async function sender(): Promise<void> {
  const worker = server.app.workers.find((one) => one.name === 'sender')!;
  while ((await worker.runOnce()) > 0);
}

/** Queues a message of the kind to the contact; returns its id. */
async function queue(kind: Kind, channel: Channel, shop: make.Square['shop'], contactId: number): Promise<number> {
  const step = channel === 'email' ? { subject: 'x', content: '<p>x</p>' } : { content: 'x' };
  if (kind === 'flow' || kind === 'receipt') {
    const options = { channel, step, transactional: kind === 'receipt' };
    return (await flowMessages(server, shop, [contactId], options)).ids[0]!;
  }
  const now = server.clock.now();
  const message = { idemKey: `m:${kind}:${channel}:${contactId}`, channel, contactId, dueAt: now };
  let queued: QueuedMessage;
  if (kind === 'confirmation') {
    const origin = {
      kind: 'system',
      template: channel === 'email' ? 'confirm_membership' : 'sms_help',
      data: {},
    } as const;
    queued = { ...message, origin, transactional: true };
  } else {
    // Its audience was fixed while the contact still belonged to it.
    const [row] = await server.rows<{ id: string }>(
      `insert into campaigns (company_id, name, type, subject, content, status, started_at, recipients, created_at, updated_at)
       values ($1, 'Now', $2, 'x', '<p>x</p>', 'sending', $3, 1, $3, $3) returning id`,
      [shop.company_id, channel, now],
    );
    queued = { ...message, origin: { kind: 'campaign', campaignId: Number(row!.id) }, transactional: false };
  }
  await server.app.db.tx((tx) => queueMessages(tx, shop.company_id, [queued], now));
  const [row] = await server.rows<{ id: string }>('select id from messages where company_id = $1 and idem_key = $2', [
    shop.company_id,
    message.idemKey,
  ]);
  return Number(row!.id);
}

const cells = ROWS.flatMap((row) => (Object.keys(KINDS) as Kind[]).map((kind) => ({ row, kind })));

test('the matrix has a row for each source, and its cells are many', () => {
  expect(new Set(ROWS.map(({ source }) => source))).toEqual(new Set([...CONSENT_SOURCES, 'person']));
  expect(cells.length).toBeGreaterThanOrEqual(120);
});

describe.each(ROWS)('$source, $channel, $state $by', ({ source, channel, state, by, made, becomes }) => {
  const shop = () => (by === 'a company that asks first' ? square.cautious : square.shop);

  test.each(Object.keys(KINDS) as Kind[])('%s', async (kind) => {
    const { contactId, email, phone } = await made();
    const { body } = await shop().marketing('GET', `/contacts/${contactId}`);
    expect(body.consent[channel].state).toBe(state);
    // A source that does not set a channel leaves the channel's earlier consent.
    const saysIt = !['double_opt_in:sms', 'one_click:sms', 'complaint:sms', 'sms_keyword:email'].includes(
      `${source}:${channel}`,
    );
    const named = source === 'person' ? `person:${owner.id}` : source;
    expect(body.consent[channel].source === named).toBe(saysIt);
    const id = await queue(kind, channel, shop(), contactId);
    await sender();
    const [row] = await ledgerOf(server, [id]);
    expect(row?.status === 'sent' ? 'sent' : row?.reason).toBe(becomes[KINDS[kind]]);
    const caught = await server.rows<{ recipient: string }>('select recipient from mailbox_messages where id = $1', [
      id,
    ]);
    const to = channel === 'email' ? email : phone;
    expect(caught).toEqual(row?.status === 'sent' ? [{ recipient: to }] : []);
  });
});
