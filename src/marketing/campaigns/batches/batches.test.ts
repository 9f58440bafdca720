import { beforeEach, describe, expect, test } from 'vitest';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { freshWorker } from '../../../testing/fresh-worker.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { planOf } from './plan.ts';

const server = testServer();
const MINUTE = 60_000;
const MAIL = { name: 'Spring', type: 'email', subject: 'Hi', content: '<p>Hi</p>' };
let shop: TestCompany;
let list: number;

const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

beforeEach(async () => {
  shop = await server.company();
  const people: number[] = [];
  for (let n = 0; n < 5; n++) people.push(await contactOf(server, shop));
  list = (await shop.marketing('POST', '/lists', { name: 'News' })).body.list_id;
  await shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: people });
});

async function started(batches: object): Promise<number> {
  const { body } = await shop.marketing('POST', '/campaigns', { ...MAIL, list_id: list, batches });
  expect(body).toMatchObject({ status: 'draft', batches, batch_progress: null });
  await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
  await settle();
  return body.campaign_id;
}
const read = async (id: number): Promise<TestBody> => (await shop.marketing('GET', `/campaigns/${id}`)).body;
const sentOf = async (id: number): Promise<number> => (await read(id)).counts.sent;
const inMinutes = (n: number): string => formatTimestamp(new Date(server.clock.now().getTime() + n * MINUTE));
async function wait(minutes: number): Promise<void> {
  server.clock.advance(minutes * MINUTE);
  await settle();
}

describe('a campaign in batches', () => {
  // First, since the worker is that of all companies.
  test('is woken for the next batch, and skips the others once it is cancelled', async () => {
    const id = await started({ size: 2, minutes: 60 });
    const now = server.clock.now();
    expect(await worker('campaigns').nextDue(now)).toEqual(new Date(now.getTime() + 60 * MINUTE));
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
    await settle();
    expect(await read(id)).toMatchObject({ status: 'cancelled', counts: { sent: 2, skipped: 3, queued: 0 } });
  });

  test('sends one batch after the other and tells when the last begins', async () => {
    const id = await started({ size: 2, minutes: 60 });
    expect(await read(id)).toMatchObject({
      status: 'sending',
      recipients: 5,
      counts: { sent: 2, queued: 3 },
      batch_progress: { size: 2, released: 2, next_at: inMinutes(60), ends_at: inMinutes(120) },
    });
    await wait(59);
    expect(await sentOf(id)).toBe(2);
    await wait(1);
    expect(await sentOf(id)).toBe(4);
    await wait(60);
    expect(await read(id)).toMatchObject({ status: 'sent', counts: { sent: 5, queued: 0 }, batch_progress: null });
  });

  test('of equal size: the last has the rest', async () => {
    const id = await started({ count: 2, minutes: 5 });
    expect(await sentOf(id)).toBe(3);
    await wait(5);
    expect(await read(id)).toMatchObject({ status: 'sent', counts: { sent: 5 } });
  });

  test('stops while it is paused, and makes up for no batch afterwards', async () => {
    const id = await started({ size: 1, minutes: 10 });
    await shop.marketing('POST', `/campaigns/pause/${id}`);
    await wait(60);
    expect(await read(id)).toMatchObject({
      counts: { sent: 1 },
      batch_progress: { released: 1, next_at: null, ends_at: null },
    });
    await shop.marketing('POST', `/campaigns/resume/${id}`);
    await settle();
    expect(await read(id)).toMatchObject({ counts: { sent: 2 }, batch_progress: { next_at: inMinutes(10) } });
    await wait(10);
    expect(await sentOf(id)).toBe(3);
  });

  test('goes on in another process, with the same batch', async () => {
    const id = await started({ size: 2, minutes: 60 });
    const other = freshWorker(server.app, 'campaigns');
    await other.runOnce();
    server.clock.advance(60 * MINUTE);
    await Promise.all([other.runOnce(), worker('campaigns').runOnce()]);
    await settle();
    expect(await sentOf(id)).toBe(4);
  });

  test('tells before the start how long it takes', async () => {
    const fields = { ...MAIL, list_id: list, batches: { size: 2, minutes: 60 } };
    const { campaign_id } = (await shop.marketing('POST', '/campaigns', fields)).body;
    const { body } = await shop.marketing('GET', `/campaigns/${campaign_id}/check`);
    expect(body).toMatchObject({ recipients: 5, batches: { count: 3, size: 2, takes_minutes: 120 } });
  });

  test.each([
    [{ batches: { minutes: 5 } }, /size or a count/],
    [{ batches: { size: 2, count: 2, minutes: 5 } }, /size or a count/],
    [{ batches: { size: 2, minutes: 5 }, send_in_contact_time_zone: true }, /send_in_contact_time_zone/],
    [{ batches: { size: 2, minutes: 5 }, holdout_percent: 10 }, /holdout_percent/],
    [{ batches: { size: 0, minutes: 5 } }, /size/],
  ])('%j is refused', async (fields, message) => {
    const { status, body } = await shop.marketing('POST', '/campaigns', { ...MAIL, ...fields });
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });
});

test('a plan of nobody has no batch', () => {
  expect(planOf({ count: 3, minutes: 5 }, 0)).toEqual({ count: 0, size: 1, takes_minutes: 0 });
});
