import { expect, test } from 'vitest';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

test('has scheduled campaigns on their day and others on that on which they began, by the shop’s time zone', async () => {
  const shop = await server.company({ timeZone: 'Pacific/Auckland' });
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [await contactOf(server, shop)] });
  const mail = { type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list.list_id };
  const made = async (fields: object): Promise<number> => {
    const { status, body } = await shop.marketing('POST', '/campaigns', { ...mail, ...fields });
    expect(status).toBe(201);
    return body.campaign_id;
  };
  const now = server.clock.now().getTime();
  const later = new Date(now + 9 * 86_400_000).toISOString().slice(0, 10);
  const dayAfter = new Date(now + 10 * 86_400_000).toISOString().slice(0, 10);
  // Noon in UTC is after midnight in Auckland.
  const scheduled = await made({ name: 'Soon', scheduled_at: `${later} 12:30:00` });
  const sent = await made({ name: 'Now' });
  await shop.marketing('POST', `/campaigns/send/${sent}`);
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
  await made({ name: 'Draft' });
  const cancelled = await made({ name: 'Gone', scheduled_at: `${later} 12:40:00` });
  await shop.marketing('POST', `/campaigns/cancel/${cancelled}`);

  const { status, body } = await shop.marketing('GET', '/campaigns/calendar');
  expect(status).toBe(200);
  expect(body).toMatchObject({ time_zone: 'Pacific/Auckland', complete: true });
  expect(body.campaigns).toMatchObject([
    { campaign_id: sent, name: 'Now', status: 'sent', recipients: 1 },
    { campaign_id: scheduled, name: 'Soon', status: 'scheduled', date: dayAfter, at: `${later} 12:30:00` },
  ]);
  const { body: that } = await shop.marketing('GET', `/campaigns/calendar?from=${dayAfter}&to=${dayAfter}`);
  expect(that.campaigns.map((one: { campaign_id: number }) => one.campaign_id)).toEqual([scheduled]);
  const { body: before } = await shop.marketing('GET', `/campaigns/calendar?from=${later}&to=${later}`);
  expect(before.campaigns).toEqual([]);
  const other = await server.company();
  expect((await other.marketing('GET', '/campaigns/calendar')).body.campaigns).toEqual([]);
});

test.each(['?from=2026-02-01&to=2026-01-31', '?from=2026-01-01&to=2026-03-05', '?from=tomorrow'])(
  'refuses %s',
  async (query) => {
    const shop = await server.company();
    expect((await shop.marketing('GET', `/campaigns/calendar${query}`)).status).toBe(400);
  },
);
