import { expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { messagingInvariants } from '../../../messaging/invariants.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { testServer } from '../../../testing/harness.ts';

const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

test('a report uses stored counts for days and reasons, and reads no messages', async () => {
  const shop = await server.company();
  const contacts = await Promise.all(Array.from({ length: 6 }, () => contactOf(server, shop)));
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const mail = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>' };
  const { body: made } = await shop.marketing('POST', '/campaigns', { ...mail, list_id: list.list_id });
  const id = made.campaign_id;
  await shop.marketing('POST', `/campaigns/send/${id}`);
  await shop.marketing('POST', `/contacts/unsubscribe/${contacts[0]}`, {});
  await shop.marketing('POST', `/contacts/unsubscribe/${contacts[1]}`, {});
  await shop.marketing('DELETE', `/contacts/${contacts[2]}`);
  const tomorrow = "update messages set due_at = due_at + interval '1 day' where contact_id = $1";
  await server.rows(tomorrow, [contacts[3]]);
  await settle();
  server.clock.advance(24 * 3_600_000);
  await settle();
  const report = async () => {
    const { body } = await shop.marketing('GET', `/campaigns/${id}/report`);
    return [body.days.map((day: { date: string; sent: number }) => [day.date, day.sent]), body.reasons];
  };
  const expected = [
    [
      ['2026-03-15', 2],
      ['2026-03-16', 1],
    ],
    [
      { status: 'skipped', reason: 'unsubscribed', count: 2 },
      { status: 'skipped', reason: 'contact_erased', count: 1 },
    ],
  ];
  expect(await report()).toEqual(expected);
  const { body: all } = await shop.marketing('GET', `/messages?campaign_id=${id}&per_page=4&page=2`);
  expect([all.messages.length, all.pagination.total]).toEqual([2, 6]);
  expect((await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok)).toEqual([]);
  await server.rows('delete from messages where campaign_id = $1', [id]);
  expect(await report()).toEqual(expected);
});

test('an unknown message that was sent after all counts on the day of its hand-over, and no longer as unknown', async () => {
  const shop = await server.company();
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [await contactOf(server, shop)] });
  const mail = { name: 'C', type: 'email', subject: 'Hi', content: 'Hi', list_id: list.list_id };
  const { body: made } = await shop.marketing('POST', '/campaigns', mail);
  await shop.marketing('POST', `/campaigns/send/${made.campaign_id}`);
  await settle();
  await server.rows("update messages set status = 'unknown', reason = 'x' where campaign_id = $1", [made.campaign_id]);
  const report = async () => (await shop.marketing('GET', `/campaigns/${made.campaign_id}/report`)).body;
  expect(await report()).toMatchObject({ reasons: [{ status: 'unknown', reason: 'x', count: 1 }] });
  const sentOn = server.clock.now().toISOString().slice(0, 10);
  server.clock.advance(48 * 3_600_000);
  const { body } = await shop.marketing('GET', `/campaigns/${made.campaign_id}/recipients`);
  const marked = await shop.marketing('POST', `/messages/mark-sent/${body.recipients[0].message_id}`);
  expect(marked.status).toBe(200);
  expect(await report()).toMatchObject({ days: [{ date: sentOn, sent: 1 }], reasons: [] });
});

test('a campaign is compared with those of its type that started in the 90 days before it', async () => {
  const shop = await server.company();
  const contacts = await Promise.all(Array.from({ length: 2 }, () => contactOf(server, shop)));
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const sent = async () => {
    const mail = { name: 'C', type: 'email', subject: 'Hi', content: 'Hi', list_id: list.list_id };
    const id = (await shop.marketing('POST', '/campaigns', mail)).body.campaign_id;
    await shop.marketing('POST', `/campaigns/send/${id}`);
    await settle();
    return id;
  };
  const benchmark = async (id: number) => (await shop.marketing('GET', `/campaigns/${id}/report`)).body.benchmark;
  const DAY = 24 * 3_600_000;
  const first = await sent();
  expect(await benchmark(first)).toBeNull();
  server.clock.advance(60 * DAY);
  const second = await sent();
  const of = { delivered: 2, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0, converted: 0 };
  expect(await benchmark(second)).toEqual({ campaigns: 1, sent: 2, ...of });
  await shop.marketing('POST', `/contacts/unsubscribe/${contacts[0]}`, {});
  server.clock.advance(31 * DAY);
  const third = await sent();
  expect(await benchmark(third)).toMatchObject({ campaigns: 1, sent: 2 });
  server.clock.advance(DAY);
  expect(await benchmark(await sent())).toMatchObject({ campaigns: 2, sent: 3, delivered: 3 });
});
