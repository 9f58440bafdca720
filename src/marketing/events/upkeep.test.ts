import { beforeAll, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { ensurePartitions, purgeKeys } from './service.ts';

const server = testServer();
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

const track = (order_id: string) =>
  shop.marketing('POST', '/events', {
    event_type: 'order_placed',
    event_data: { order_id, email: 'ann@example.com', total: 1 },
  });
const partitionOf = async (orderId: string): Promise<string> => {
  const [row] = await server.rows<{ name: string }>(
    "select tableoid::regclass::text as name from events where data ->> 'order_id' = $1",
    [orderId],
  );
  return row!.name;
};

describe('the months of events', () => {
  it('are made ahead, and one without a partition loses nothing', async () => {
    server.clock.set('2031-01-31T23:59:59.999Z');
    expect((await track('1')).status).toBe(201);
    expect(await partitionOf('1')).toBe('events_default');
    // January has rows already and stays where it is.
    expect(await ensurePartitions(server.app.db, server.clock.now())).toBe(3);
    expect(await ensurePartitions(server.app.db, server.clock.now())).toBe(0);
    await track('2');
    server.clock.advance(1);
    await track('3');
    expect([await partitionOf('2'), await partitionOf('3')]).toEqual(['events_default', 'events_2031_02']);
    const listed = await shop.marketing('GET', '/events');
    const records = listed.body.events as unknown as { event_data: { order_id: string } }[];
    expect(records.map((event) => event.event_data.order_id)).toEqual(['3', '2', '1']);
  });

  it('are made once by many at the same time', async () => {
    server.clock.set('2032-01-01T00:00:00.000Z');
    const made = await Promise.all(
      Array.from({ length: 6 }, () => ensurePartitions(server.app.db, server.clock.now())),
    );
    expect(made.toSorted()).toEqual([0, 0, 0, 0, 0, 4]);
  });
});

describe('keys past their time', () => {
  it('are forgotten, the others kept', async () => {
    await track('4');
    server.clock.advance(86_400_000 - 1);
    await track('5');
    server.clock.advance(1);
    while ((await purgeKeys(server.app.db, server.clock.now(), 2)) > 0);
    expect(await server.rows('select 1 from event_keys')).toHaveLength(1);
    expect((await track('5')).body.duplicate).toBe(true);
    expect((await track('4')).body.duplicate).toBe(false);
  });
});
