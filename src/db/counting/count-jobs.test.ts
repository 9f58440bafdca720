import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadMasterKey } from '../../access/master-key.ts';
import { exportCompany } from '../../exports/export.ts';
import { connectionUrl, databaseOf } from '../../testing/global-setup.ts';
import { startWorkerProgram, temporaryDataFolder } from '../../testing/program.ts';
import { random } from '../../testing/random/seed.ts';
import { migrate } from '../migrate.ts';
import { listMigrations } from '../migrating/migration-files.ts';

/** COUNT_ROWS and COUNT_KILLS run the same test at greater length. */
const ROWS = Number(process.env.COUNT_ROWS ?? 20_000);
const KILLS = Number(process.env.COUNT_KILLS ?? 1);
const FIRST = 68;

let admin: pg.Client;
let database: string;
let connection: pg.ClientConfig;
let client: pg.Client;
const dataDir = temporaryDataFolder();
const ended: (() => Promise<unknown>)[] = [];
const pick = random(1);

beforeAll(async () => {
  const { connection: server, template } = inject('postgres');
  admin = new pg.Client(server);
  await admin.connect();
  database = `${template}_counting_${process.pid}`;
  await admin.query(`create database ${database}`);
  connection = databaseOf(server, database);
  client = new pg.Client(connection);
  await client.connect();
});
afterAll(async () => {
  for (const end of ended) await end();
  await client.end();
  await admin.query(`drop database if exists ${database} with (force)`);
  await admin.end();
});

/** Rows from before the upgrade: two companies, one of which has hardly any. */
const OLD_ROWS = [
  `insert into companies (name, currency, currency_exponent, time_zone, country, created_at)
   select n, 'EUR', 2, 'UTC', 'DE', '2026-01-01' from unnest(array['Shop', 'Little', 'None']) n`,
  `insert into contacts (company_id, email, search, email_consent, email_consent_at, created_at, updated_at)
   select case when n % 1000 = 0 then 2 else 1 end, 'c' || n || '@example.com', 'c' || n,
     case when n % 4 = 0 then 'unsubscribed' else 'subscribed' end,
     timestamptz '2026-02-01' + n % 30 * interval '1 day', '2026-01-05', '2026-03-05' from generate_series(1, $1::int) n`,
  `insert into lists (company_id, name, created_at, updated_at) select 1, 'List ' || n, '2026-01-01', '2026-01-01' from generate_series(1, 2) n where $1 > 0`,
  `insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
   select 1, 1 + id % 2, id, case when id % 5 = 0 then 'unsubscribed' else 'active' end, '2026-01-06', '2026-02-06'
   from contacts where company_id = 1 and $1 > 0`,
  `insert into messages (company_id, idem_key, channel, transactional, lane, status, due_at, origin, flow_id, created_at, handed_over_at, ended_at)
   select case when n % 1000 = 0 then 2 else 1 end, 't:' || n, 'email', false, 1, case when n % 3 = 0 then 'queued' else 'sent' end,
     '2026-01-01', 'flow', 1 + n % 2, '2026-01-01', case when n % 3 > 0 then timestamptz '2026-01-01' + n % 90 * interval '1 day' end,
     case when n % 3 > 0 then timestamptz '2026-01-01' + n % 90 * interval '1 day' end from generate_series(1, $1::int) n`,
  `insert into message_activity (company_id, message_id, type, reference, amount, created_at)
   select company_id, id, case when id % 2 = 0 then 'converted' else 'bounced' end, id, case when id % 2 = 0 then 100 end, '2026-02-02'
   from messages where status = 'sent' and $1 > 0`,
  `insert into webhook_endpoints (company_id, url, secret, event_types, created_at, updated_at)
   select 1, 'https://example.com/', '\\x00', '{}', '2026-01-01', '2026-01-01' where $1 > 0`,
  `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, status, due_at, give_up_at, created_at, finished_at)
   select 1, 1, 'm' || n, 'ping', 'p', '{}', case when n % 3 = 0 then 'failed' else 'delivered' end, '2026-01-01', '2026-01-02', '2026-01-01',
     '2026-01-01' from generate_series(1, $1::int) n`,
  `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, due_at, entered_at, ended_at)
   select 1, 1 + n % 2, 1, n, 0, case when n % 2 = 0 then 'active' else 'completed' end, '{}', '{}', '2126-01-01', '2026-01-01',
     case when n % 2 = 1 then timestamptz '2026-01-01' end from generate_series(1, $1::int) n`,
  `insert into audit_log (company_id, id, at, actor, action, target, hash)
   select 1, n, '2026-01-01', 'key:' || n % 3, 'tax_rule.' || n % 2, 'tax_rule:1', '\\x00' from generate_series(1, $1::int) n`,
  `insert into suppressions (company_id, channel, hash, cause, created_at)
   select case when n % 1000 = 0 then 2 else 1 end, 'email', sha256(n::text::bytea), case when n % 3 = 0 then 'manual' else 'bounce' end,
     timestamptz '2026-01-01' + n / 3 * interval '1.5 seconds' from generate_series(1, $1::int) n`,
];

/** Statements that run concurrently; `$1` is an increasing number, `$2` a random one below ROWS. */
const WRITES = {
  message: `insert into messages (company_id, idem_key, channel, transactional, lane, status, due_at, origin, flow_id, created_at, ended_at)
    select 1, 'w:' || $1::int, 'email', false, 1, 'sent', '2026-01-01', 'flow', 1, '2026-01-01', '2026-05-01' where $2::int >= 0`,
  sends: `update messages set status = 'sent', handed_over_at = '2026-05-02', ended_at = '2026-05-02'
    where company_id = 1 and status = 'queued' and id = 3 * ($2::int / 3) and $1::int >= 0`,
  bounces: `insert into message_activity (company_id, message_id, type, reference, created_at)
    select 1, id, 'complained', $1::int, '2026-05-03' from messages where company_id = 1 and id = $2::int`,
  delivery: `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
    select 1, 1, 'w' || $1::int, 'ping', 'p', '{}', '2126-01-01', '2126-01-02', '2026-01-01' where $2::int >= 0`,
  delivers: `update webhook_deliveries set status = 'delivered', finished_at = '2026-05-01' where id between $2::int and $2::int + 3 and $1::int >= 0`,
  forgets: 'delete from webhook_deliveries where id = $2::int and $1::int >= 0',
  run: `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, entered_at, ended_at)
    select 1, 1, 1, 1, 0, 'completed', '{}', '{}', '2026-01-01', '2026-01-01' where $1::int + $2::int > 0`,
  moves: `update flow_runs set status = 'exited', ended_at = '2026-05-01' where id between $2::int and $2::int + 3 and status = 'active'
    and $1::int >= 0`,
  records: `insert into audit_log (company_id, id, at, actor, action, target, hash)
    select 1, max(id) + 1, now(), 'cli', 'tax_rule.' || $2::int % 2, 'tax_rule:' || $1::int, '\\x00' from audit_log where company_id = 1`,
  suppresses: `insert into suppressions (company_id, channel, hash, cause, created_at)
    select 1, 'email', sha256(('w' || $1::int)::bytea), 'unsubscribe', timestamptz '2026-01-01' + $2::int * interval '0.5 seconds'`,
  complains: `update suppressions set cause = 'complaint', created_at = created_at + $2::int % 3600 * interval '1 second'
    where company_id = 1 and hash = sha256(($2::int)::text::bytea) and $1::int >= 0`,
  lifts: `delete from suppressions where company_id = 1 and hash = sha256(($2::int / 2)::text::bytea) and $1::int >= 0`,
  loses: 'delete from flow_runs where id between $2::int and $2::int + 2 and $1::int >= 0',
};

/** Statements that change contacts, keyed by the total that each raises. */
const OF_CONTACTS = {
  subscribed: [
    `insert into contacts (company_id, email, search, created_at, updated_at)
     select 1, 'w' || $1::int || '@example.com', 'w', '2026-05-05', '2026-05-05' where $2::int >= 0`,
    `update contacts set email_consent = 'subscribed', updated_at = '2026-05-05'
     where company_id = 1 and id = $2::int and status = 'unsubscribed' and $1::int >= 0`,
  ],
  unsubscribed: [
    `update contacts set email_consent = 'unsubscribed', email_consent_at = '2026-05-05', updated_at = '2026-05-05'
     where company_id = 1 and id = $2::int and status <> 'unsubscribed' and $1::int >= 0`,
  ],
  neither: ['delete from contacts where company_id = 1 and id = $2::int and $1::int >= 0'],
};

/** Of members of lists: who comes back, and who leaves. */
const OF_MEMBERS = [
  `update list_memberships set status = 'active', updated_at = '2026-05-06'
   where company_id = 1 and contact_id = $2::int and status = 'unsubscribed' and $1::int >= 0`,
  `update list_memberships set status = 'unsubscribed', updated_at = '2026-05-06'
   where company_id = 1 and contact_id between $2::int and $2::int + 2 and status = 'active' and $1::int >= 0`,
];

function startWriting(statements: readonly string[]): { rows: number[]; stop(): Promise<void> } {
  let running = true;
  const rows = statements.map(() => 0);
  const write = async (): Promise<void> => {
    const own = new pg.Client(connection);
    await own.connect();
    for (let n = 0; running; n++) {
      const which = n % statements.length;
      const result = await own.query(statements[which]!, [n, pick(ROWS)]);
      rows[which]! += result.rowCount ?? 0;
      await sleep(1);
    }
    await own.end();
  };
  const done = write();
  const stop = async (): Promise<void> => {
    running = false;
    await done;
  };
  ended.push(stop);
  return { rows, stop };
}

const query = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
  (await client.query<Row>(text)).rows;
const counted = async (): Promise<{ counted: number; open: number }> => {
  const [row] = await query<{ counted: number; open: number }>(
    'select sum(counted)::int as counted, count(*) filter (where finished_at is null)::int as open from count_jobs',
  );
  return row!;
};
/** Kept totals of lists by facet, without days and buckets. */
async function kept(lists: string, facets = ''): Promise<Record<string, number>> {
  const rows = await query<{ key: string; n: number }>(`
    select company_id || ' ' || list || ' ' || facet as key, sum(n)::int as n from (
      select company_id, list, facet, n from list_counts union all select company_id, list, facet, n from list_count_deltas
    ) totals where list ~ '${lists}' and facet ~ '${facets}' group by 1 having sum(n) <> 0 order by 1`);
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
}
async function actual(select: string): Promise<Record<string, number>> {
  const rows = await query<{ key: string; n: number }>(
    `select key, sum(n)::int as n from (${select}) counted group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
}

test(`rows of before an upgrade are counted once each, with writers at work and ${KILLS} kills with -9`, {
  timeout: 300_000,
}, async () => {
  const migrations = await listMigrations();
  await migrate(connection, { migrations: migrations.filter(({ version }) => version < FIRST) });
  for (const [n, text] of OLD_ROWS.entries()) await client.query(text, n === 0 ? [] : [ROWS]);

  const writing = startWriting(Object.values(WRITES));
  await migrate(connection);
  expect(await counted()).toEqual({ counted: 0, open: 8 });
  const exported = { folder: join(dataDir, 'export'), masterKey: loadMasterKey(dataDir, null), now: new Date() };
  await expect(exportCompany(connection, 1, exported)).rejects.toThrow('names no backfills any more');
  const before = await actual(`
    select company_id || ' marketing-days ' || status as key, 1 as n from contacts where status in ('subscribed', 'unsubscribed')`);
  const changes = [...OF_CONTACTS.subscribed, ...OF_CONTACTS.unsubscribed, ...OF_CONTACTS.neither];
  const members = await actual(`
    select kind as key, 1 as n from list_memberships,
      lateral (values ('subscribed'), (case when status = 'unsubscribed' then 'unsubscribed' end)) k (kind) where kind is not null`);
  const ofMembers = startWriting(OF_MEMBERS);
  const ofContacts = startWriting(changes);

  const env = { DATABASE_URL: connectionUrl(connection), TRADELOOM_DATA_DIR: dataDir };
  let killedHalfway = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const begun = await counted();
    const worker = startWorkerProgram(env);
    for (let now = begun; now.counted <= begun.counted && now.open > 0; now = await counted()) await sleep(2);
    await worker.end('SIGKILL');
    if ((await counted()).open > 0) killedHalfway++;
  }
  expect(killedHalfway).toBeGreaterThan(0);
  const worker = startWorkerProgram(env);
  ended.push(() => worker.end('SIGKILL'));
  await expect.poll(async () => (await counted()).open, { timeout: 120_000 }).toBe(0);
  await writing.stop();
  await ofContacts.stop();
  await ofMembers.stop();
  // The totals that changed rows left behind have been removed.
  await expect.poll(() => query('select 1 from count_job_rows limit 1'), { timeout: 30_000 }).toEqual([]);
  // Retention deletes deliveries meanwhile.
  await worker.end('SIGTERM');
  for (const rows of [...writing.rows, ...ofContacts.rows, ...ofMembers.rows]) expect(rows).toBeGreaterThan(0);

  expect(await kept('^webhook-deliveries')).toEqual(
    await actual(
      "select company_id || ' webhook-deliveries:' || endpoint_id || ' ' || status as key, 1 as n from webhook_deliveries",
    ),
  );
  expect(await kept('^flow-runs')).toEqual(
    await actual(
      "select company_id || ' flow-runs:' || flow_id || ' ' || run_state(status) as key, 1 as n from flow_runs",
    ),
  );
  expect(await kept('^audit')).toEqual(
    await actual(`
      select company_id || ' ' || list || ' ' || action as key, 1 as n
      from audit_log, lateral (values ('audit'), ('audit-actor:' || actor)) l (list)`),
  );
  expect(await kept('^suppressions')).toEqual(
    await actual("select company_id || ' suppressions ' || channel || ':' || cause as key, 1 as n from suppressions"),
  );
  expect(await kept('^marketing-days', '^sent')).toEqual(
    await actual(
      "select company_id || ' marketing-days sent:' || channel as key, 1 as n from messages where status = 'sent'",
    ),
  );
  expect(await kept('^marketing', '^(bounced|complained|orders|revenue)')).toEqual(
    await actual(`
      select a.company_id || k.key as key, k.n from message_activity a
      join messages m on m.company_id = a.company_id and m.id = a.message_id,
      lateral (values
        (case when type <> 'converted' then ' marketing-days ' || type || ':email' end, 1),
        (case when type = 'converted' then ' marketing-days orders:flow' end, 1),
        (case when type = 'converted' then ' marketing-days revenue:flow' end, amount),
        (case when type = 'converted' then ' marketing-sources orders:flow:' || flow_id end, 1),
        (case when type = 'converted' then ' marketing-sources revenue:flow:' || flow_id end, amount)) k (key, n)
      where k.key is not null`),
  );
  const [inserted, again, left] = ofContacts.rows as [number, number, number, number];
  const came = '1 marketing-days subscribed';
  const went = '1 marketing-days unsubscribed';
  expect(await kept('^marketing-days', 'subscribed$')).toEqual({
    ...before,
    [came]: before[came]! + inserted + again,
    [went]: before[went]! + left,
  });
  const growth = Object.entries(await kept('^list-growth'));
  const grown = (kind: string): number =>
    growth.reduce((sum, [key, n]) => (key.startsWith(`1 list-growth ${kind}:`) ? sum + n : sum), 0);
  const [back, gone] = ofMembers.rows as [number, number];
  expect(grown('subscribed')).toBe(members.subscribed! + back);
  expect(grown('unsubscribed')).toBe(members.unsubscribed! + gone);
});
