import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { SKIP_REASONS, type SkipReason } from '../../../messaging/send/gate.ts';
import { flowMessages, ledgerOf } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import * as make from './testing/matrix.ts';

const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const exhaust = async (name: string): Promise<void> => {
  while ((await worker(name).runOnce()) > 0);
};

beforeAll(() => {
  server.app.messaging.smsToken = make.SMS_TOKEN;
});
afterEach(() => vi.restoreAllMocks());

/** A message to one contact that would be sent if no reason prevented it. */
interface Case extends make.Square {
  made: make.Made;
  campaign: number;
  onList: number;
}

async function begin(): Promise<Case> {
  const shop = await server.company();
  const number = '+12025550100';
  await shop.marketing('PATCH', '/sending-settings', { sms_from: number });
  const square = { server, shop, cautious: shop, list: 0, number };
  const made = await make.contact(square);
  const onList = (await shop.marketing('POST', '/lists', { name: 'News' })).body.list_id;
  await shop.marketing('POST', `/lists/${onList}/contacts`, { contact_ids: [made.contactId] });
  const mail = { name: 'C', type: 'email', subject: 'x', content: '<p>x</p>', list_id: onList };
  const campaign = (await shop.marketing('POST', '/campaigns', mail)).body.campaign_id;
  return { ...square, made, campaign, onList };
}

async function told(shop: TestCompany, ok: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await ok;
  if (status > 201) throw new Error(`${shop.company_id}: ${JSON.stringify(body)}`);
}

const email = ({ made }: Case) => made.email;
const settings = ({ shop }: Case, body: object) => told(shop, shop.marketing('PATCH', '/sending-settings', body));
const contact = ({ shop, made }: Case, body: object) =>
  told(shop, shop.marketing('PATCH', `/contacts/${made.contactId}`, body));

/** Reasons against a hand-over, in the order of the contract. `queued`: the message keeps waiting. */
const OBSTACLES: [tells: SkipReason | 'queued', raise: (one: Case) => Promise<unknown>][] = [
  ['contact_erased', ({ shop, made }) => told(shop, shop.marketing('DELETE', `/contacts/${made.contactId}`))],
  [
    'suppressed_manual',
    (one) => told(one.shop, one.shop.marketing('POST', '/suppressions', { addresses: [email(one)] })),
  ],
  ['never_consented', (one) => contact(one, { consent: { email: 'never' } })],
  [
    'not_on_list',
    ({ shop, onList, made }) =>
      told(shop, shop.marketing('POST', `/lists/${onList}/contacts/remove`, { contact_ids: [made.contactId] })),
  ],
  ['campaign_cancelled', ({ shop, campaign }) => told(shop, shop.marketing('POST', `/campaigns/cancel/${campaign}`))],
  ['paused_by_contact', (one) => contact(one, { preferences: { paused_until: '2026-04-01 00:00:00' } })],
  ['queued', (one) => settings(one, { quiet_hours: { start: '11:00', end: '13:00', timezone: 'UTC' } })],
  ['frequency_preference', (one) => contact(one, { preferences: { frequency: 'less_often' } })],
  ['frequency_cap', (one) => settings(one, { frequency_cap: { messages: 1, hours: 24 } })],
];

/** Starts a campaign. The reasons arise after its message is queued, so that only the gate can reject it. */
async function sendAgainst(raised: typeof OBSTACLES): Promise<{ status: string; reason: string | null }> {
  const one = await begin();
  const { ids } = await flowMessages(server, one.shop, [one.made.contactId]);
  await exhaust('sender');
  expect((await ledgerOf(server, ids))[0]!.status).toBe('sent');
  await told(one.shop, one.shop.marketing('POST', `/campaigns/send/${one.campaign}`));
  await exhaust('campaigns');
  const { composer } = server.app.messaging;
  const compose = composer.compose.bind(composer);
  vi.spyOn(composer, 'compose').mockImplementation((company, messages, now, hand) =>
    compose(company, messages, now, async (portion) => {
      for (const [, raise] of raised) await raise(one);
      return hand(portion);
    }),
  );
  await worker('sender').runOnce();
  const rows = await server.rows<{ status: string; reason: string | null }>(
    'select status, reason from ledger where campaign_id = $1',
    [one.campaign],
  );
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

function outcome({ status, reason }: { status: string; reason: string | null }): string {
  return status === 'skipped' ? reason! : status;
}

describe('of two reasons the gate gives the first', () => {
  const pairs = OBSTACLES.flatMap((first, i) => OBSTACLES.slice(i + 1).map((second) => ({ first, second })));

  test('and sends if there is none', async () => {
    expect(outcome(await sendAgainst([]))).toBe('sent');
  });
  test.each(pairs)('$first.0 before $second.0', async ({ first, second }) => {
    // The reason that deletes the contact is raised last.
    expect(outcome(await sendAgainst([second, first]))).toBe(first[0]);
  });
  test.each(OBSTACLES)('%s alone', async (...obstacle) => {
    expect(outcome(await sendAgainst([obstacle]))).toBe(obstacle[0]);
  });
});

/** How each of the other reasons arises. */
const OTHERS: Partial<Record<SkipReason, { channel?: 'sms'; raise: (one: Case, flowId: number) => Promise<unknown> }>> =
  {
    no_address: { raise: (one) => contact(one, { email: null }) },
    bounced: { raise: (one) => make.report(one, 'bounce', email(one)) },
    suppressed_bounce: {
      channel: 'sms',
      raise: async (one) => {
        const { ids } = await flowMessages(server, one.shop, [one.made.contactId], sms);
        await exhaust('sender');
        // The message under test is postponed, so that this one goes first.
        const path = `/marketing/sms/status/twilio?message=${one.shop.company_id}-${ids[0]}`;
        await make.twilio(one, path, { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30005' });
      },
    },
    suppressed_complaint: { raise: (one) => make.report(one, 'complaint', email(one)) },
    // The number unsubscribed while no contact had it; the contact got it later.
    suppressed_unsubscribe: {
      channel: 'sms',
      raise: async (one) => {
        await server.rows('update contacts set phone = null where id = $1', [one.made.contactId]);
        await make.text(one, one.made, 'STOP');
        await server.rows('update contacts set phone = $2 where id = $1', [one.made.contactId, one.made.phone]);
      },
    },
    unsubscribed: { raise: (one) => make.leave(one, one.made, ['email']) },
    flow_archived: { raise: ({ shop }, flowId) => told(shop, shop.marketing('POST', `/flows/archive/${flowId}`)) },
    too_late: {
      raise: async (one) => {
        await settings(one, { max_lateness_hours: 1 });
        server.clock.advance(2 * 3_600_000);
      },
    },
  };
const sms = { channel: 'sms', step: { content: 'x' } } as const;

describe('a message of a flow', () => {
  const reasons = Object.keys(OTHERS) as SkipReason[];

  test.each(reasons)('%s', async (reason) => {
    const { channel, raise } = OTHERS[reason]!;
    const one = await begin();
    const dueAt = new Date(server.clock.now().getTime() + 60_000);
    const { flowId, ids } = await flowMessages(server, one.shop, [one.made.contactId], { ...(channel && sms), dueAt });
    await raise(one, flowId);
    server.clock.advance(120_000);
    await exhaust('sender');
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason }]);
  });

  test('and the cases above: every reason occurs', () => {
    const reached = [...OBSTACLES.map(([tells]) => tells), ...reasons].filter((tells) => tells !== 'queued');
    expect(reached.sort()).toEqual([...SKIP_REASONS].sort());
  });
});
