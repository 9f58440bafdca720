import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createKeyPurge, ensurePartitions } from './service.ts';

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

describe('monthly partitions of events', () => {
  it('are created in advance, and a month without one loses no event', async () => {
    server.clock.set('2031-01-31T23:59:59.999Z');
    expect((await track('1')).status).toBe(201);
    expect(await partitionOf('1')).toBe('events_default');
    // Events of January stay in the default partition, where the first one already is.
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

  it('are created once by concurrent processes', async () => {
    server.clock.set('2032-01-01T00:00:00.000Z');
    const made = await Promise.all(
      Array.from({ length: 6 }, () => ensurePartitions(server.app.db, server.clock.now())),
    );
    expect(made.toSorted()).toEqual([0, 0, 0, 0, 0, 4]);
  });

  it('refresh their statistics less often, and keep none of data and ids, which no query compares', async () => {
    server.clock.set('2033-01-01T00:00:00.000Z');
    expect(await ensurePartitions(server.app.db, server.clock.now())).toBe(4);
    const counted = await server.rows(
      `select c.attname as name, count(distinct c.attstattarget)::int as targets, max(c.attstattarget)::int as target,
         count(*) > 4 as many
       from pg_inherits i join pg_attribute c on c.attrelid = i.inhrelid
       where i.inhparent = 'events'::regclass and c.attname in ('data', 'external_id', 'contact_id')
       group by c.attname order by c.attname`,
    );
    const none = { targets: 1, target: 0, many: true };
    expect(counted.slice(1)).toEqual([
      { name: 'data', ...none },
      { name: 'external_id', ...none },
    ]);
    expect(counted[0]).not.toMatchObject({ target: 0 });
    const often = `
      select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'events'::regclass and c.reloptions @> '{autovacuum_analyze_scale_factor=0.2}' is not true`;
    expect(await server.rows(often)).toEqual([]);
  });
});

describe('expired keys', () => {
  it('are deleted, and others are kept', async () => {
    await track('4');
    server.clock.advance(86_400_000 - 1);
    await track('5');
    server.clock.advance(1);
    // Keys on several pages; each page also has keys that must be kept.
    await server.rows(
      `insert into event_keys select $1, gen_random_uuid(), n, $2::timestamptz + (n % 2) * interval '1 ms'
       from generate_series(1, 1000) n`,
      [shop.company_id, server.clock.now()],
    );
    const purge = createKeyPurge(server.app.db, server.clock, 1);
    const [{ pages }] = (await server.rows("select pg_relation_size('event_keys')::int / 8192 as pages")) as [
      { pages: number },
    ];
    expect(pages).toBeGreaterThan(5);
    const removed: number[] = [];
    // One step more than there are pages: the purge starts at a random page, and wraps around.
    for (let step = 0; step <= pages; step++) removed.push(await purge());
    expect(removed.filter((n) => n > 0).length).toBeGreaterThan(4);
    expect(await server.rows('select 1 from event_keys where expires_at <= $1', [server.clock.now()])).toEqual([]);
    expect(await server.rows('select 1 from event_keys')).toHaveLength(501);
    expect((await track('5')).body.duplicate).toBe(true);
    expect((await track('4')).body.duplicate).toBe(false);
  });

  it('are kept while events claim them again', async () => {
    const holder = new pg.Client(server.connection);
    await holder.connect();
    await server.rows('update event_keys set expires_at = $1', [server.clock.now()]);
    await holder.query('begin');
    const { rowCount } = await holder.query('select 1 from event_keys limit 1 for update');
    expect(rowCount).toBe(1);
    const purge = createKeyPurge(server.app.db, server.clock);
    await purge();
    await purge();
    expect(await server.rows('select 1 from event_keys')).toHaveLength(1);
    await holder.end();
    await purge();
    expect(await server.rows('select 1 from event_keys')).toEqual([]);
  });
});
