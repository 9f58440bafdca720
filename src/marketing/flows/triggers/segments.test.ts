import { beforeEach, expect, test } from 'vitest';
import type { Db, Tx } from '../../../db/pool.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { allSlices } from '../../../work/slices.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow, work } from '../testing/flows.ts';
import { raiseJoins } from './segments.ts';

/** The trigger `segment_joined`: each contact once for each time that it comes into the segment. */
const server = testServer();
let shop: TestCompany;
let segment: TestBody;
beforeEach(async () => {
  shop = await server.company();
  segment = await segmentOf('vip');
});

const MINUTE = 60_000;
const read = (db: Db = server.app.db) => raiseJoins({ ...server.app, db, clock: server.clock, wake: () => {} });

async function outbox(): Promise<void> {
  const worker = server.app.workers.find(({ name }) => name === 'outbox')!;
  while ((await worker.runOnce()) > 0);
}

async function run(): Promise<void> {
  await allSlices(read());
  await outbox();
}

async function later(): Promise<void> {
  server.clock.advance(10 * MINUTE);
  await run();
}

const rulesOf = (tag: string) => ({ rules: [{ field: 'tags', comparison: 'contains', value: tag }] });
const segmentOf = async (tag: string) =>
  (await shop.marketing('POST', '/segments', { name: `Of ${tag}`, conditions: rulesOf(tag) })).body;

const tagged = async (email: string, ...tags: string[]): Promise<number> =>
  (await shop.marketing('POST', '/contacts', { email, tags, tags_mode: 'replace' })).body.contact_id;

const flowOf = (segment_id: number, more: object = {}) =>
  activeFlow(shop, [step('tag', 'add_tag', { tag: 'entered' })], {
    trigger_type: 'segment_joined',
    trigger_settings: { segment_id },
    ...more,
  });

async function joins(): Promise<number[]> {
  const rows = await server.rows<{ contact_id: number }>(
    "select contact_id from events where company_id = $1 and event_type = 'segment_joined' order by event_id",
    [shop.company_id],
  );
  return rows.map(({ contact_id }) => Number(contact_id));
}

const noted = async (): Promise<number> =>
  (await server.rows('select 1 from flow_segment_members where company_id = $1', [shop.company_id])).length;

test('members of the beginning raise none, later ones one each, and it starts the flows of that segment', async () => {
  await tagged('old@example.com', 'vip');
  const other = await segmentOf('other');
  const [flow] = [await flowOf(segment.segment_id), await flowOf(other.segment_id)];
  await run();
  expect(await joins()).toEqual([]);
  const fresh = await tagged('new@example.com', 'vip');
  const elsewhere = await tagged('elsewhere@example.com', 'other');
  // Not compared before ten minutes have passed.
  await run();
  expect(await joins()).toEqual([]);
  for (let i = 0; i < 3; i++) await later();
  expect((await joins()).sort()).toEqual([fresh, elsewhere].sort());
  const [event] = await server.rows<{ data: object }>(
    "select data from events where company_id = $1 and contact_id = $2 and event_type = 'segment_joined'",
    [shop.company_id, fresh],
  );
  const { segment_id } = segment;
  expect(event!.data).toEqual({ contact_id: fresh, segment_id, segment_name: 'Of vip' });
  await work(server);
  const { body } = await shop.marketing('GET', `/flows/${flow!.flow_id}/runs`);
  expect(body.runs.map(({ contact_id }: { contact_id: number }) => contact_id)).toEqual([fresh]);
});

test('a contact that leaves and comes back raises it again', async () => {
  await flowOf(segment.segment_id);
  await run();
  const id = await tagged('a@example.com', 'vip');
  await later();
  await tagged('a@example.com', 'none');
  await later();
  expect(await noted()).toBe(0);
  await tagged('a@example.com', 'vip');
  await later();
  expect(await joins()).toEqual([id, id]);
});

test('other rules begin anew: whom they bring in raises none', async () => {
  await flowOf(segment.segment_id);
  await run();
  await tagged('a@example.com', 'gold');
  const edit = { conditions: rulesOf('gold') };
  expect((await shop.marketing('PATCH', `/segments/${segment.segment_id}`, edit)).status).toBe(200);
  await later();
  expect([await joins(), await noted()]).toEqual([[], 1]);
  const late = await tagged('b@example.com', 'gold');
  await later();
  expect(await joins()).toEqual([late]);
});

test('several processes, and one that is killed, write one event for each contact', async () => {
  await flowOf(segment.segment_id);
  await run();
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push(await tagged(`p${i}@example.com`, 'vip'));
  server.clock.advance(10 * MINUTE);
  const { db } = server.app;
  const killed = {
    ...db,
    query: db.query.bind(db),
    tenantTx: (companyId: number, body: (tx: Tx) => Promise<unknown>) =>
      db.tenantTx(companyId, async (tx) => {
        await body(tx);
        throw new Error('killed');
      }),
  } as unknown as Db;
  await expect(read(killed)(null)).rejects.toThrow('killed');
  await Promise.all([allSlices(read()), allSlices(read()), allSlices(read())]);
  await later();
  expect(await joins()).toEqual(ids);
});

test('merged contacts stay members; deleted ones, and segments without a flow, are forgotten', async () => {
  const { flow_id } = await flowOf(segment.segment_id);
  const loser = await tagged('a@example.com', 'vip');
  const gone = await tagged('b@example.com', 'vip');
  await run();
  const winner = await tagged('c@example.com');
  await shop.marketing('POST', `/contacts/${winner}/merge`, { other_contact_id: loser });
  await shop.marketing('DELETE', `/contacts/${gone}`);
  expect(await noted()).toBe(1);
  await later();
  expect([await joins(), await noted()]).toEqual([[], 1]);
  await shop.marketing('POST', `/flows/archive/${flow_id}`);
  await later();
  expect(await noted()).toBe(0);
});

test('a segment that starts a flow, active or paused, is not deleted', async () => {
  const { segment_id } = segment;
  const flow = await flowOf(segment_id);
  const remove = () => shop.marketing('DELETE', `/segments/${segment_id}`);
  for (const action of ['pause', null]) {
    const { status, body } = await remove();
    expect([status, body.error, body.message]).toEqual([400, 'bad_request', expect.stringContaining(flow.name)]);
    if (action !== null) await shop.marketing('POST', `/flows/${action}/${flow.flow_id}`);
  }
  await shop.marketing('POST', `/flows/archive/${flow.flow_id}`);
  expect((await remove()).body).toEqual({ segment_id, deleted: true });
  await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
  expect((await shop.marketing('POST', `/flows/activate/${flow.flow_id}`)).body.details).toMatchObject([
    { field: 'trigger_settings.segment_id' },
  ]);
});

test('a trigger without a segment, or with one that does not exist, is refused', async () => {
  for (const [trigger_settings, message] of [
    [null, 'is required with the trigger'],
    [{ segment_id: 999_999 }, 'refers to an unknown segment: 999999'],
  ] as const) {
    const flow = { name: 'No segment', trigger_type: 'segment_joined', trigger_settings };
    const { flow_id } = (await shop.marketing('POST', '/flows', flow)).body;
    const { status, body } = await shop.marketing('POST', `/flows/activate/${flow_id}`);
    expect({ status, details: body.details }).toMatchObject({
      status: 400,
      details: [{ field: 'trigger_settings.segment_id', message: expect.stringContaining(message) }],
    });
  }
});
