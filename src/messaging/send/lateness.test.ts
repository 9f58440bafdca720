import { afterEach, describe, expect, test, vi } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;
const HOUR = 3_600_000;

afterEach(() => vi.restoreAllMocks());

async function setFlow(flowId: number, status: 'active' | 'paused'): Promise<void> {
  await server.rows('update flows set status = $2 where id = $1', [flowId, status]);
}

/** Advances the clock in steps, as on a running server. */
async function pass(hours: number): Promise<void> {
  for (let quarter = 0; quarter < 4 * hours; quarter += 1) {
    server.clock.advance(HOUR / 4);
    await sender().runOnce();
  }
}

describe('a message of a paused flow', () => {
  test('goes when the flow goes on in time', async () => {
    const shop = await server.company();
    const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await setFlow(flowId, 'paused');
    await sender().runOnce();
    await pass(2);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued', attempts: 0 }]);
    await setFlow(flowId, 'active');
    await pass(1);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
  });

  test('is too late when the pause took longer than messages may wait', async () => {
    const shop = await server.company();
    await shop.marketing('PATCH', '/sending-settings', { max_lateness_hours: 3 });
    const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await setFlow(flowId, 'paused');
    await sender().runOnce();
    await pass(4);
    await setFlow(flowId, 'active');
    await pass(1);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'too_late' }]);
  });

  test('is not made while the flow is paused', async () => {
    const shop = await server.company();
    const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await setFlow(flowId, 'paused');
    const compose = vi.spyOn(server.app.messaging.composer, 'compose');
    await sender().runOnce();
    await pass(1);
    expect(compose.mock.calls.flatMap(([, messages]) => messages.map(({ id }) => id))).toEqual([]);
    await setFlow(flowId, 'active');
    await pass(1);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
    expect(compose.mock.calls.flatMap(([, messages]) => messages.map(({ id }) => id))).toEqual(ids);
  });
});

describe('quiet hours', () => {
  test('are waited for without making the message, and do not make it late', async () => {
    server.clock.set('2026-04-01T20:30:00Z');
    const shop = await server.company();
    const quiet_hours = { start: '20:00', end: '08:00', timezone: 'UTC' };
    await shop.marketing('PATCH', '/sending-settings', { max_lateness_hours: 3, quiet_hours });
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    const compose = vi.spyOn(server.app.messaging.composer, 'compose');
    await sender().runOnce();
    await pass(11);
    expect(compose.mock.calls.flatMap(([, messages]) => messages)).toEqual([]);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued', due_at: new Date('2026-04-02T08:00:00Z') }]);
    await pass(1);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
  });

  test('do not excuse waiting for other reasons', async () => {
    server.clock.set('2026-05-01T18:00:00Z');
    const shop = await server.company();
    const quiet_hours = { start: '20:00', end: '08:00', timezone: 'UTC' };
    await shop.marketing('PATCH', '/sending-settings', { max_lateness_hours: 3, quiet_hours });
    const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await setFlow(flowId, 'paused');
    await sender().runOnce();
    await pass(2.5);
    await setFlow(flowId, 'active');
    await pass(11.25);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued' }]);
    await setFlow(flowId, 'paused');
    await pass(1);
    await setFlow(flowId, 'active');
    await pass(1);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'too_late' }]);
  });
});

describe('a campaign that was paused', () => {
  test.each([
    [null, { status: 'sent', reason: null }],
    [3, { status: 'skipped', reason: 'too_late' }],
  ])('with max_lateness_hours %s', async (max_lateness_hours, expected) => {
    const shop = await server.company();
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    const contact_ids = [await contactOf(server, shop)];
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids });
    const { body: campaign } = await shop.marketing('POST', '/campaigns', {
      name: 'C',
      type: 'email',
      subject: 'x',
      content: 'x',
      list_id: list.list_id,
      max_lateness_hours,
    });
    expect(campaign.max_lateness_hours).toBe(max_lateness_hours);
    const id = campaign.campaign_id;
    await shop.marketing('POST', `/campaigns/send/${id}`);
    await shop.marketing('POST', `/campaigns/pause/${id}`);
    await pass(4);
    await shop.marketing('POST', `/campaigns/resume/${id}`);
    await server.app.workers.find((worker) => worker.name === 'campaigns')!.runOnce();
    await sender().runOnce();
    expect(await server.rows('select status, reason from messages where campaign_id = $1', [id])).toEqual([expected]);
  });
});
