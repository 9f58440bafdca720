import { expect, test } from 'vitest';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

const HOUR = 3_600_000;
const variants = [
  { key: 'a', weight: 1, subject: 'A' },
  { key: 'b', weight: 1, subject: 'B' },
];
const ab_test = { share: 30, hours: 4, metric: 'clicked' };
const mail = { name: 'C', type: 'email', content: '<a href="https://shop.example/">See</a>', variants, ab_test };

async function started(shop: TestCompany, recipients: number): Promise<number> {
  const contacts = await Promise.all(Array.from({ length: recipients }, () => contactOf(server, shop)));
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const { body } = await shop.marketing('POST', '/campaigns', { ...mail, list_id: list.list_id });
  await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
  await settle();
  return body.campaign_id;
}
const read = async (shop: TestCompany, id: number): Promise<TestBody> =>
  (await shop.marketing('GET', `/campaigns/${id}`)).body;

test('the variants go to a share of the recipients, and after the test the better one to all others', async () => {
  const shop = await server.company();
  const id = await started(shop, 60);
  const first = await read(shop, id);
  expect(first).toMatchObject({ status: 'sending', recipients: 60, winner: null, ab_test });
  expect(first.counts.sent).toBeGreaterThan(5);
  expect(first.counts.sent).toBeLessThan(35);
  expect(first.counts.queued + first.counts.sent).toBe(60);
  const { body: box } = await shop.marketing('GET', '/mailbox?per_page=100');
  const clicked = box.messages.find((one: { subject: string }) => one.subject === 'B');
  const { body: full } = await shop.marketing('GET', `/mailbox/${clicked.id}`);
  await server.request('GET', full.html.match(/http[^"]+\/t\/c\/[^"]+/)[0].replace(server.origin, ''));

  expect(await worker('campaigns').nextDue(server.clock.now())).toEqual(
    new Date(server.clock.now().getTime() + 4 * HOUR),
  );
  server.clock.advance(4 * HOUR - 1);
  await settle();
  expect(await read(shop, id)).toMatchObject({ winner: null, counts: { sent: first.counts.sent } });
  server.clock.advance(1);
  await settle();
  expect(await read(shop, id)).toMatchObject({
    status: 'sent',
    winner: 'b',
    recipients: 60,
    counts: { sent: 60, queued: 0 },
  });
  const { body: report } = await shop.marketing('GET', `/campaigns/${id}/report`);
  expect(report.winner).toBe('b');
  const [a, b] = report.variants.map((one: { counts: { sent: number } }) => one.counts.sent);
  expect([a + b, a < first.counts.sent]).toEqual([60, true]);
  const days = async () =>
    (await shop.marketing('GET', `/campaigns/${id}/report`)).body.days.map(
      ({ date, sent, clicked: clicks }: { date: string; sent: number; clicked: number }) => [date, sent, clicks],
    );
  expect(await days()).toEqual([['2026-03-15', 60, 1]]);
  // As if midnight had passed.
  const late =
    "update messages set handed_over_at = handed_over_at + interval '12 hours' where campaign_id = $1 and variant = 'a'";
  await server.rows(late, [id]);
  await server.rows("update campaigns set finished_at = finished_at + interval '12 hours' where id = $1", [id]);
  expect(await days()).toEqual([
    ['2026-03-15', b, 1],
    ['2026-03-16', a, 0],
  ]);
  const { body: after } = await shop.marketing('GET', '/mailbox?per_page=100');
  expect(after.messages.filter((one: { subject: string }) => one.subject === 'B')).toHaveLength(b);
});

test('recipients that wait for the winner are skipped when the campaign is cancelled', async () => {
  const shop = await server.company();
  const id = await started(shop, 20);
  const { counts } = await read(shop, id);
  await shop.marketing('POST', `/campaigns/cancel/${id}`);
  server.clock.advance(5 * HOUR);
  await settle();
  expect(await read(shop, id)).toMatchObject({
    winner: null,
    counts: { sent: counts.sent, skipped: counts.queued, queued: 0 },
  });
});

test('an A/B test needs two variants', async () => {
  const shop = await server.company();
  for (const given of [[], [variants[0]], [variants[0], { ...variants[1], weight: 0 }]]) {
    const refused = await shop.marketing('POST', '/campaigns', { ...mail, subject: 'x', variants: given });
    expect([refused.status, refused.body.details]).toMatchObject([400, [{ field: 'ab_test' }]]);
  }
});
