import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
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

describe('keys from before migration 0026', () => {
  const MIGRATION = new URL('../../db/migrations/0026_keys_of_counted_ids.sql', import.meta.url);
  const keys = async (): Promise<string[]> =>
    (await server.rows<{ key: string }>('select key from event_keys order by event_id')).map((row) => row.key);

  it('are rewritten, so that known events are still recognised', async () => {
    await server.rows('delete from event_keys');
    const customer = await shop.marketing('POST', '/contacts', { email: 'ann@example.com' });
    const order = (order_id: string) => ({ order_id, email: 'ann@example.com', total: 1 });
    const byId = [
      ...['no-number', '0', 'x5000000000000', '1000000000000'],
      ...['7', 'till-3-1041', 'a-0012', '1000000000001', '99999999999999', 'say "hi"\\\n\té€ 5'],
    ];
    const sent = [
      ...byId.map((event_id) => ({ event_type: 'order_placed', event_id, event_data: order('one') })),
      { event_type: 'order_placed', event_data: order('1041') },
      { event_type: 'order_placed', event_data: order('no-number') },
      { event_type: 'subscription_cancelled', event_data: { email: 'ann@example.com', subscription_id: '12' } },
    ];
    const sendAll = () => shop.marketing('POST', '/events/batch', { events: sent });
    expect((await sendAll()).body).toMatchObject({ accepted: sent.length, duplicates: 0 });
    const own = { eventType: 'order_cancelled', eventId: 'order_cancelled 5', data: {}, source: 'shop' as const };
    const fromShop = () =>
      server.app.db.tenantTx(shop.company_id, (tx) =>
        server.app.events.storeEvents(
          tx,
          shop.company_id,
          [{ ...own, contactId: customer.body.contact_id as number }],
          server.clock.now(),
        ),
      );
    expect(await fromShop()).toMatchObject([{ value: { duplicate: false } }]);
    const now = await keys();
    const before = [
      ...byId.map((id) => ['id', 'sender', id]),
      ['natural', 'order_placed', '1041'],
      ['natural', 'order_placed', 'no-number'],
      ['natural', 'subscription_cancelled', '12'],
      ['id', 'shop', own.eventId],
    ].map((parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32));
    await server.rows(
      `update event_keys k set key = old.key
       from unnest($1::uuid[]) with ordinality old (key, n)
       join (select event_id, row_number() over (order by event_id) as n from event_keys) held on held.n = old.n
       where k.event_id = held.event_id`,
      [before],
    );
    const hashed = await keys();
    const same = now.filter((key, i) => key === hashed[i]);
    // The five that do not end in a number of at most twelve digits.
    expect(same).toHaveLength(5);
    await server.rows(await readFile(MIGRATION, 'utf8'));
    expect(await keys()).toEqual(now);
    expect((await sendAll()).body).toMatchObject({ accepted: 0, duplicates: sent.length });
    expect(await fromShop()).toMatchObject([{ value: { duplicate: true } }]);
  });
});
