import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { anotherApp } from '../../testing/another-app.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { startSmtpSink } from '../send/transports/smtp-sink.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startTestingProvider } from './testing-provider.ts';

/** The installation's server. */
const shared = await startSmtpSink();
/** A server of one company. */
const own = await startSmtpSink({ password: 'a-long-password-of-own', allowInsecureAuth: true });
const provider = await startTestingProvider();
afterAll(() => Promise.all([shared.close(), own.close(), provider.close()]));
const server = testServer({
  config: { smtpUrl: `smtp://127.0.0.1:${shared.port}?tls=off`, allowPrivateWebhooks: true },
});
beforeEach(() => provider.respond({ status: 200, body: {} }));

const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;
const mailTo = (sink: typeof own, shop: TestCompany) =>
  sink.stored.filter(({ to }) => to.endsWith(`@s${shop.company_id}.example.net`));

async function account(shop: TestCompany, body: object): Promise<number> {
  const made = await shop.marketing('POST', '/sending-accounts', { name: 'Ours', active: true, ...body });
  expect(made).toMatchObject({ status: 201 });
  return made.body.account_id;
}

const smtpOf = (port: number, password = 'a-long-password-of-own') => ({
  smtp: { host: '127.0.0.1', port, username: 'shop', password, security: 'none' },
});
const postmark = { postmark: { server_token: 'a-server-token-of-postmark', api_url: provider.url } };

async function queued(shop: TestCompany, names: string[], options: Parameters<typeof flowMessages>[3] = {}) {
  const contacts: number[] = [];
  for (const name of names) {
    contacts.push(await contactOf(server, shop, { email: `${name}@s${shop.company_id}.example.net` }));
  }
  return (await flowMessages(server, shop, contacts, options)).ids;
}

describe('a company sends', () => {
  test('by its own SMTP server while it has one, and by that of the installation before and after', async () => {
    const shop = await server.company();
    await queued(shop, ['first']);
    await sender().runOnce();
    expect([mailTo(shared, shop), mailTo(own, shop)].map((mails) => mails.length)).toEqual([1, 0]);

    const id = await account(shop, smtpOf(own.port));
    const ids = await queued(shop, ['second']);
    await sender().runOnce();
    expect([mailTo(shared, shop), mailTo(own, shop)].map((mails) => mails.length)).toEqual([1, 1]);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent', reply: '250 2.0.0 Queued' }]);

    await shop.marketing('PATCH', `/sending-accounts/${id}`, { active: false });
    await queued(shop, ['third']);
    await sender().runOnce();
    expect([mailTo(shared, shop), mailTo(own, shop)].map((mails) => mails.length)).toEqual([2, 1]);
  });

  test('by Postmark, each message with its text part, its links and its Message-ID', async () => {
    const shop = await server.company();
    await account(shop, postmark);
    const before = provider.received.length;
    const ids = await queued(shop, ['ann']);
    await sender().runOnce();
    const [row] = await ledgerOf(server, ids);
    expect(row).toMatchObject({ status: 'sent' });
    expect(provider.received.length - before).toBe(1);
    const { path, headers, body } = provider.received.at(-1)!;
    expect([path, headers['x-postmark-server-token']]).toEqual(['/email', 'a-server-token-of-postmark']);
    const sent = JSON.parse(body);
    const messageId = `<m${ids[0]}.c${shop.company_id}.`;
    expect(sent).toMatchObject({
      To: `ann@s${shop.company_id}.example.net`,
      Subject: 'Hello Ann',
      MessageStream: 'outbound',
      TrackLinks: 'None',
    });
    expect(sent.HtmlBody).toContain('For Ann');
    expect(sent.TextBody).toContain('Order o');
    expect(sent.Metadata.tradeloom_message).toContain(messageId);
    const header = (name: string) => sent.Headers.find((one: { Name: string }) => one.Name === name)?.Value;
    expect(header('Message-ID')).toContain(messageId);
    expect(header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    const [stored] = await server.rows('select transport from messages where id = $1', [ids[0]]);
    expect(stored).toEqual({ transport: 'postmark' });
  });

  test('in another process by the new account within seconds of a change', async () => {
    const shop = await server.company();
    await queued(shop, ['here']);
    await sender().runOnce();
    const other = await anotherApp(server);
    try {
      expect(await other.running.app.messaging.companies.get(shop.company_id)).toMatchObject({ accounts: [] });
      await account(shop, smtpOf(own.port));
      await expect
        .poll(async () => (await other.running.app.messaging.companies.get(shop.company_id)).accounts.length)
        .toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe('an account that fails', () => {
  test('neither delays nor blocks the messages of other companies, with or without accounts', async () => {
    const [failing, theirs, neighbour] = [await server.company(), await server.company(), await server.company()];
    await account(failing, { ...postmark, connections: 3 });
    await account(theirs, smtpOf(own.port));
    provider.respond('hang');
    const hanging = await queued(
      failing,
      Array.from({ length: 30 }, (_, i) => `h${i}`),
    );
    const turn = sender().runOnce();
    await expect.poll(() => provider.received.length).toBeGreaterThan(0);
    // While requests of one company hang, the other's messages become due and are sent.
    const began = performance.now();
    const [a, b] = [await queued(theirs, ['well']), await queued(neighbour, ['well'])];
    await expect
      .poll(async () => (await ledgerOf(server, [...a, ...b])).map(({ status }) => status))
      .toEqual(['sent', 'sent']);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect((await ledgerOf(server, hanging)).some(({ status }) => status === 'sent')).toBe(false);
    provider.respond({ status: 200 });
    await turn;
  });

  test('is shown with the reply of the service until it accepts messages again', async () => {
    const shop = await server.company();
    const id = await account(shop, postmark);
    provider.respond({
      status: 401,
      body: { ErrorCode: 10, Message: 'No Account or Server API tokens were supplied' },
    });
    const ids = await queued(
      shop,
      Array.from({ length: 6 }, (_, i) => `f${i}`),
    );
    await sender().runOnce();
    const rows = await ledgerOf(server, ids);
    expect(rows.every(({ status }) => status === 'queued')).toBe(true);
    expect(rows.filter(({ reason }) => reason === 'retry_service').length).toBeGreaterThanOrEqual(5);
    const shown = () => shop.marketing('GET', `/sending-accounts/${id}`).then(({ body }) => body);
    await expect
      .poll(shown)
      .toMatchObject({ failing_since: expect.any(String), failure: expect.stringContaining('401') });

    provider.respond({ status: 200 });
    server.clock.advance(60_000);
    await expect
      .poll(async () => {
        await sender().runOnce();
        return (await ledgerOf(server, ids)).every(({ status }) => status === 'sent');
      })
      .toBe(true);
    await expect.poll(shown).toMatchObject({ failing_since: null, failure: null });
  });

  test('refuses a message for good, and the address where it says so', async () => {
    const shop = await server.company();
    await account(shop, postmark);
    provider.respond({ status: 422, body: { ErrorCode: 406, Message: 'You tried to send to an inactive recipient' } });
    const dead = await queued(shop, ['dead']);
    await sender().runOnce();
    expect(await ledgerOf(server, dead)).toMatchObject([{ status: 'failed', reason: 'refused_recipient' }]);
    provider.respond({ status: 422, body: { ErrorCode: 300, Message: 'Invalid From' } });
    const bad = await queued(shop, ['bad']);
    await sender().runOnce();
    expect(await ledgerOf(server, bad)).toMatchObject([{ status: 'failed', reason: 'refused_message' }]);
  });
});

describe('a change of accounts while messages are sent', () => {
  test('sends no message twice and loses none', async () => {
    const shop = await server.company();
    const id = await account(shop, { ...smtpOf(own.port), rate: 12 });
    const names = Array.from({ length: 60 }, (_, i) => `m${i}`);
    const ids = await queued(shop, names);
    const turn = sender().runOnce();
    await expect.poll(() => mailTo(own, shop).length).toBeGreaterThan(3);
    const second = await account(shop, postmark);
    await expect.poll(() => provider.received.some(({ body }) => body.includes(`@s${shop.company_id}.`))).toBe(true);
    await shop.marketing('DELETE', `/sending-accounts/${second}`);
    await shop.marketing('DELETE', `/sending-accounts/${id}`);
    await turn;
    for (let i = 0; i < 20; i += 1) {
      server.clock.advance(61_000);
      await sender().runOnce();
    }
    const rows = await ledgerOf(server, ids);
    expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'sent'));
    const posted = provider.received
      .map(({ body }) => (body.startsWith('{') ? String(JSON.parse(body).To) : ''))
      .filter((to) => to.endsWith(`@s${shop.company_id}.example.net`));
    const all = [...mailTo(own, shop), ...mailTo(shared, shop)].map(({ to }) => to).concat(posted);
    expect(all.sort()).toEqual(names.map((name) => `${name}@s${shop.company_id}.example.net`).sort());
  });

  test('leaves messages without a response unknown, and does not send them again', async () => {
    const shop = await server.company();
    await account(shop, postmark);
    provider.respond('drop');
    const ids = await queued(shop, ['unknown']);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'unknown' }]);
    await account(shop, smtpOf(own.port));
    server.clock.advance(86_400_000);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'unknown' }]);
    expect(mailTo(own, shop)).toEqual([]);
  });
});

test('the rate of an account is its own: two companies at one service do not wait for each other', async () => {
  const [one, other] = [await server.company(), await server.company()];
  const ids = [
    await account(one, { ...smtpOf(own.port), rate: 20 }),
    await account(other, { ...smtpOf(own.port), rate: 20 }),
  ];
  const names = Array.from({ length: 12 }, (_, i) => `r${i}`);
  await queued(one, names);
  await queued(other, names);
  const began = performance.now();
  await sender().runOnce();
  const took = performance.now() - began;
  expect([mailTo(own, one).length, mailTo(own, other).length]).toEqual([12, 12]);
  expect(took).toBeGreaterThan((11 / 20) * 1_000 * 0.7);
  const rates = await server.rows<{ provider: string }>('select provider from provider_rates order by 1');
  expect(rates.map(({ provider: name }) => name)).toEqual(
    expect.arrayContaining([`account ${one.company_id}-${ids[0]}`, `account ${other.company_id}-${ids[1]}`]),
  );
  expect(await one.marketing('DELETE', `/sending-accounts/${ids[0]}`)).toMatchObject({ status: 200 });
  const left = await server.rows<{ provider: string }>('select provider from provider_rates');
  expect(left.map(({ provider: name }) => name)).not.toContain(`account ${one.company_id}-${ids[0]}`);
});
