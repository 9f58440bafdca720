import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

const server = testServer({ config: { domainLimits: { 'everywhere.example': 60 } } });
const MINUTE = 60_000;
const campaigns = () => server.app.workers.find((one) => one.name === 'campaigns')!;

/** Runs two processes at once, each with its own memory, until nothing is left to send. */
async function send(): Promise<void> {
  const senders = [server.app.messaging.createWorker(), server.app.messaging.createWorker()];
  for (let done = 1; done > 0; ) {
    const turns = await Promise.all([campaigns(), ...senders].map((worker) => worker.runOnce()));
    done = turns.reduce((sum, n) => sum + n, 0);
  }
  await Promise.all(senders.map((sender) => sender.stop()));
}

let addresses = 0;
const contactsAt = (shop: TestCompany, domain: string, n: number): Promise<number[]> =>
  Promise.all(Array.from({ length: n }, () => contactOf(server, shop, { email: `p${addresses++}@${domain}` })));

async function campaignTo(shop: TestCompany, contacts: number[]): Promise<number> {
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const campaign = { name: 'C', type: 'email', subject: 'x', content: 'x', list_id: list.list_id };
  const { body } = await shop.marketing('POST', '/campaigns', campaign);
  await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
  return body.campaign_id;
}

async function sentTo(shop: TestCompany, domain: string): Promise<number> {
  const rows = await server.rows<{ n: number }>(
    "select count(*)::int as n from messages where company_id = $1 and status = 'sent' and recipient like '%@' || $2",
    [shop.company_id, domain],
  );
  return rows[0]!.n;
}

beforeEach(() => server.clock.set('2026-03-02T10:00:00Z'));

describe('a limit by the domain of recipients', () => {
  test('holds for two senders at once, while others overtake; another company has its own', async () => {
    const [shop, other] = [await server.company(), await server.company()];
    await shop.marketing('PATCH', '/sending-settings', { domain_limits: { 'Limited.example': 600 } });
    const limited = await contactsAt(shop, 'limited.example', 60);
    const id = await campaignTo(shop, [...limited, ...(await contactsAt(shop, 'free.example', 60))]);
    const free = await campaignTo(other, await contactsAt(other, 'limited.example', 60));
    await send();
    expect([await sentTo(shop, 'limited.example'), await sentTo(shop, 'free.example')]).toEqual([10, 60]);
    expect((await other.marketing('GET', `/campaigns/${free}`)).body).toMatchObject({
      status: 'sent',
      counts: { sent: 60 },
    });
    const waiting = await server.rows<{ reason: string; attempts: number }>(
      "select distinct reason, attempts from messages where campaign_id = $1 and status = 'queued'",
      [id],
    );
    expect(waiting).toEqual([{ reason: 'domain_limit', attempts: 0 }]);
    for (let minute = 1; minute <= 5; minute += 1) {
      server.clock.advance(MINUTE);
      await send();
      const sent = await sentTo(shop, 'limited.example');
      expect(sent).toBeLessThanOrEqual(10 * (minute + 1));
      expect(sent).toBeGreaterThanOrEqual(10 * minute);
    }
    server.clock.advance(2 * MINUTE);
    await send();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'sent',
      counts: { sent: 120 },
    });
  });

  test('of the installation holds where the company has none; receipts are not put off', async () => {
    const [shop, own] = [await server.company(), await server.company()];
    await own.marketing('PATCH', '/sending-settings', { domain_limits: { 'everywhere.example': 6_000 } });
    const go = async (company: TestCompany, transactional = false) =>
      (await flowMessages(server, company, await contactsAt(company, 'everywhere.example', 4), { transactional })).ids;
    const [marketing, receipts, more] = [await go(shop), await go(shop, true), await go(own)];
    await send();
    const count = async (ids: number[]) =>
      (await ledgerOf(server, ids)).filter(({ status }) => status === 'sent').length;
    expect([await count(marketing), await count(receipts), await count(more)]).toEqual([1, 4, 4]);
  });

  test.each([{ 'no domain': 1 }, { gmail: 1 }, { 'gmail.com': 0 }, { 'a@gmail.com': 1 }, { 'gmail.com': 'many' }])(
    '%j is none',
    async (domain_limits) => {
      const shop = await server.company();
      expect((await shop.marketing('PATCH', '/sending-settings', { domain_limits })).status).toBe(400);
    },
  );
});
