import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow, expectSound, later, numbersOf, runsOf, storing, track, work } from '../testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const HOUR = 3_600_000;
const EMAIL = 'ada@example.com';
const waiting = step('pause', 'delay', { value: 1, unit: 'hours' });

describe('POST /flows/enroll/{id}', () => {
  it('enrolls the given contacts, as far as re-entry allows', async () => {
    const flow = await activeFlow(shop, [waiting], {
      trigger_conditions: { rules: [{ field: 'x', comparison: 'exists' }] },
    });
    const ids: number[] = [];
    for (const email of ['a@example.com', 'b@example.com']) {
      ids.push((await shop.marketing('POST', '/contacts', { email })).body.contact_id);
    }
    const enroll = async (body: Record<string, unknown>) =>
      shop.marketing('POST', `/flows/enroll/${flow.flow_id}`, body);
    expect((await enroll({ contact_ids: [ids[0]], event_data: { note: 'by hand' } })).body).toEqual({
      flow_id: flow.flow_id,
      enrolled: 1,
      skipped: 0,
      pending: false,
    });
    expect((await enroll({ contact_ids: ids })).body).toMatchObject({ enrolled: 1, skipped: 1 });
    expect((await runsOf(shop, flow.flow_id))[0]).toMatchObject({
      event_id: null,
      event: { data: { note: 'by hand' } },
    });
    expect((await enroll({ contact_ids: [999_999] })).body).toMatchObject({ details: [{ field: 'contact_ids.0' }] });
    await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
    expect((await enroll({ contact_ids: ids })).status).toBe(400);
  });

  it('enrolls for the events of pauses, in order, once', async () => {
    const flow = await activeFlow(shop, [waiting], {
      trigger_conditions: { rules: [{ field: 'total', comparison: 'greater_than', value: 5 }] },
    });
    const path = `/flows/pause/${flow.flow_id}`;
    await shop.marketing('POST', path);
    server.clock.advance(1_000);
    await track(shop, EMAIL);
    await track(shop, 'b@example.com');
    await track(shop, 'b@example.com');
    await track(shop, 'small@example.com', 'order_placed', { total: 1 });
    server.clock.advance(1_000);
    await shop.marketing('POST', `/flows/activate/${flow.flow_id}`);
    server.clock.advance(1_000);
    await track(shop, 'live@example.com');
    await work(server);
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(1);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 1, missed: 3 });
    const enroll = async () => (await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`)).body;
    expect(await enroll()).toMatchObject({ enrolled: 2, skipped: 1, pending: false });
    expect(await enroll()).toMatchObject({ enrolled: 0, skipped: 0 });
  });

  it('enrolls for pauses before and after an archived time, but not for that time', async () => {
    const flow = await activeFlow(shop, [waiting]);
    const actions = [
      ['pause', 'first@example.com'],
      ['archive', 'archived@example.com'],
      ['pause', 'second@example.com'],
      ['activate', null],
    ] as const;
    for (const [action, email] of actions) {
      expect((await shop.marketing('POST', `/flows/${action}/${flow.flow_id}`)).status).toBe(200);
      server.clock.advance(1_000);
      if (email !== null) await track(shop, email);
      server.clock.advance(1_000);
    }
    await work(server);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ missed: 2 });
    const enroll = async () => (await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`)).body;
    let enrolled = 0;
    for (let body = await enroll(); ; body = await enroll()) {
      enrolled += body.enrolled;
      if (!body.pending) break;
    }
    expect(enrolled).toBe(2);
    const runs = await runsOf(shop, flow.flow_id);
    const emails = await Promise.all(
      runs.map(async ({ contact_id }) => (await shop.marketing('GET', `/contacts/${contact_id}`)).body.email),
    );
    expect(emails.sort()).toEqual(['first@example.com', 'second@example.com']);
  });

  describe('events at the edges of a pause are enrolled exactly once', () => {
    const enroll = async (flowId: number) => (await shop.marketing('POST', `/flows/enroll/${flowId}`)).body;
    const action = async (name: string, flowId: number) =>
      expect((await shop.marketing('POST', `/flows/${name}/${flowId}`)).status).toBe(200);

    it('at the moment of pause and resumption, or dated before the pause', async () => {
      const flow = await activeFlow(shop, []);
      await track(shop, 'before@example.com');
      await action('pause', flow.flow_id);
      await track(shop, 'a@example.com');
      server.clock.advance(-1_000);
      await track(shop, 'b@example.com');
      server.clock.advance(1_000);
      await action('activate', flow.flow_id);
      await track(shop, 'after@example.com');
      expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 2, missed: 2 });
      expect(await enroll(flow.flow_id)).toMatchObject({ enrolled: 2, skipped: 0, pending: false });
      expect(await enroll(flow.flow_id)).toMatchObject({ enrolled: 0, skipped: 0 });
      expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 4, missed: 2 });
    });

    it('but not where re-entry kept the contact out before the pause', async () => {
      const flow = await activeFlow(shop, [waiting]);
      await track(shop, EMAIL);
      expect((await track(shop, EMAIL)).flows_triggered).toEqual([]);
      await action('pause', flow.flow_id);
      server.clock.advance(1);
      await action('activate', flow.flow_id);
      await work(server);
      await later(server, HOUR);
      expect(await enroll(flow.flow_id)).toMatchObject({ enrolled: 0, skipped: 0 });
    });

    it('when their transaction begins before a pause or resumption and ends after it, or after the enrolment', async () => {
      const flow = await activeFlow(shop, [], { reentry: { mode: 'always', concurrent: true } });
      await shop.marketing('POST', '/contacts', { email: EMAIL });
      const store = (order_id: string) => storing(server, shop, EMAIL, 'order_placed', { order_id, total: 1 });
      const first = await store('seen active');
      await action('pause', flow.flow_id);
      server.clock.advance(1_000);
      expect(await first()).toEqual([flow.flow_id]);
      const second = await store('seen paused');
      server.clock.advance(1_000);
      await action('activate', flow.flow_id);
      server.clock.advance(1_000);
      expect(await enroll(flow.flow_id)).toMatchObject({ enrolled: 0, skipped: 0 });
      expect(await second()).toEqual([]);
      expect(await enroll(flow.flow_id)).toMatchObject({ enrolled: 1, skipped: 0 });
      expect(await enroll(flow.flow_id)).toMatchObject({ enrolled: 0, skipped: 0 });
      expect(await runsOf(shop, flow.flow_id)).toHaveLength(2);
    });
  });

  it('skips events that no longer satisfy the conditions, and deleted contacts', async () => {
    const flow = await activeFlow(shop, []);
    await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
    await track(shop, 'small@example.com', 'order_placed', { total: 1 });
    const { contact_id } = await track(shop, 'gone@example.com', 'order_placed', { total: 9 });
    await track(shop, EMAIL, 'order_placed', { total: 9 });
    await shop.marketing('DELETE', `/contacts/${contact_id}`);
    const rules = [{ field: 'total', comparison: 'greater_than', value: 5 }];
    await shop.marketing('PATCH', `/flows/${flow.flow_id}`, { trigger_conditions: { rules }, status: 'active' });
    const { body } = await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`);
    expect(body).toMatchObject({ enrolled: 1, skipped: 2, pending: false });
  });
});
