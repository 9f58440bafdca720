import { expect, test } from 'vitest';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { testServer } from '../../../testing/harness.ts';

const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

test('a variant has a sender of its own, and others that of the campaign', async () => {
  const shop = await server.company();
  const contact_ids = await Promise.all(Array.from({ length: 20 }, () => contactOf(server, shop)));
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
  await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids });
  const variants = [
    { key: 'a', weight: 1, subject: 'A', from: 'Ada <ada@shop.example>' },
    { key: 'b', weight: 1, subject: 'B' },
  ];
  const mail = { name: 'C', type: 'email', content: '<p>Hi</p>', from: 'News <news@shop.example>', list_id, variants };
  const { body } = await shop.marketing('POST', '/campaigns', mail);
  expect(body.variants).toEqual(variants);
  await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
  const { messages } = (await shop.marketing('GET', '/mailbox?per_page=100')).body;
  const senders = new Set(messages.map((one: { subject: string; from: string }) => `${one.subject}: ${one.from}`));
  expect([...senders].sort()).toEqual(['A: Ada <ada@shop.example>', 'B: News <news@shop.example>']);
  const refused = await shop.marketing('POST', '/campaigns', {
    ...mail,
    variants: [{ ...variants[0], from: 'nobody' }],
  });
  expect([refused.status, refused.body.details[0].field]).toEqual([400, 'variants']);
});
