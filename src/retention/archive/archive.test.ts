import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { periodsOf } from '../horizon.ts';
import { KINDS, type Kind } from '../kinds.ts';
import { removeOld } from '../testing.ts';
import { archive } from './archive.ts';

const server = testServer();
const folders: string[] = [];
let shop: TestCompany;
let folder: string;
beforeEach(async () => {
  server.clock.set('2026-11-01T00:00:00Z');
  shop = await server.company();
  folder = mkdtempSync(join(tmpdir(), 'tradeloom-archive-'));
  folders.push(folder);
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

const run = (kinds: readonly Kind[], aheadDays = 31, onPage?: () => void, format: 'jsonl' | 'csv' = 'jsonl') =>
  archive(server.app.db, {
    companyId: shop.company_id,
    periods: periodsOf({}),
    kinds,
    folder,
    format,
    now: server.clock.now(),
    aheadDays,
    ...(onPage && { onPage }),
  });
const own = () => join(folder, `company-${shop.company_id}`);
const linesOf = (name: string): Record<string, unknown>[] =>
  gunzipSync(readFileSync(join(own(), name)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const filesOf = () =>
  readdirSync(own())
    .filter((name) => name.endsWith('.gz'))
    .sort();

/** Inserts mails into the mailbox, one every `hours` from `begin` on. */
const mails = (n: number, begin: string, hours = 1) =>
  server.rows(
    `insert into mailbox_messages (company_id, id, channel, sender, recipient, created_at)
     select $1, (select coalesce(max(id), 0) from mailbox_messages) + n + 1, 'email', 'a@example.com', 'b@example.com',
       $3::timestamptz + make_interval(hours => n * $4::int)
     from generate_series(0, $2::int - 1) n`,
    [shop.company_id, n, begin, hours],
  );

test('rows go to files by the month in which they ended, once each over several runs, before they are removed', async () => {
  await mails(60 * 24, '2026-08-15T00:00:00Z');
  // The first run archives everything that is removed within ten days; the second, in November, archives the rest.
  const [first] = await run(['mailbox'], 10);
  expect(first!.until).toEqual(new Date('2026-10-12T00:00:00Z'));
  expect(filesOf()).toEqual(['mailbox-2026-08.jsonl.gz', 'mailbox-2026-09.jsonl.gz', 'mailbox-2026-10.jsonl.gz']);
  await removeOld(server);
  server.clock.set('2026-11-10T00:00:00Z');
  const [second] = await run(['mailbox'], 10);
  expect(second!.rows + first!.rows).toBe(60 * 24);
  const ids = filesOf().flatMap((name) => linesOf(name).map(({ id }) => id));
  expect(ids).toHaveLength(60 * 24);
  expect(new Set(ids).size).toBe(60 * 24);
  expect(statSync(join(own(), 'mailbox-2026-08.jsonl.gz')).mode & 0o777).toBe(0o600);
  await removeOld(server);
  server.clock.set('2026-12-20T00:00:00Z');
  expect(await run(['mailbox'])).toMatchObject([{ rows: 0 }]);
});

test('an interrupted run is continued without writing anything twice', async () => {
  await mails(3_500, '2026-06-01T00:00:00Z');
  let pages = 0;
  const stop = () => {
    if (++pages === 3) throw new Error('interrupted');
  };
  await expect(run(['mailbox'], 31, stop)).rejects.toThrow('interrupted');
  // Bytes of an interrupted write, which the state does not include.
  appendFileSync(join(own(), filesOf().at(-1)!), 'half a member');
  await run(['mailbox']);
  const ids = filesOf().flatMap((name) => linesOf(name).map(({ id }) => Number(id)));
  expect(ids).toHaveLength(3_500);
  expect(new Set(ids).size).toBe(3_500);
  expect(JSON.parse(readFileSync(join(own(), 'archive.json'), 'utf8')).mailbox).toMatchObject({
    rows: 3_500,
    open: null,
  });
});

test('every kind is read, messages with what happened to them, and of one company only', async () => {
  const other = await server.company();
  const old = '2024-03-05T10:00:00Z';
  for (const { company_id: company } of [shop, other]) {
    await server.rows(
      `insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, data)
       values ($1, nextval('event_ids'), $2, $2, 1, 'order_placed', 'api', '{"total": 12.5}')`,
      [company, old],
    );
    await server.rows(
      `with m as (
         insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, status, created_at, ended_at)
         values ($1, 'a', 'email', false, 2, $2, 'system', 'sent', $2, $2), ($1, 'b', 'email', false, 2, $2, 'system', 'queued', $2, null)
         returning id, status)
       insert into message_activity (company_id, message_id, type, created_at) select $1, id, 'opened', $2 from m where status = 'sent'`,
      [company, old],
    );
    await server.rows(
      `insert into contact_activity (company_id, contact_id, type, data, created_at)
       values ($1, 1, 'status_changed', '{}', $2), ($1, 1, 'merged', '{}', $2)`,
      [company, old],
    );
    await server.rows(
      `insert into carts (company_id, status, origin, frozen, created_at, updated_at)
       values ($1, 'open', 'api', null, $2, $2), ($1, 'paying', 'api', '{}', $2, $2)`,
      [company, old],
    );
    await server.rows(
      `with r as (
         insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, due_at, entered_at, ended_at)
         values ($1, 1, 1, 1, 0, 'completed', '{}', '{}', null, $2, $2), ($1, 1, 1, 2, 0, 'active', '{}', '{}', $2, $2, null) returning id)
       insert into flow_run_log (company_id, run_id, seq, at, entries) select $1, id, n, $2, '[]' from r, generate_series(1, 2) n`,
      [company, old],
    );
  }
  const done = await run(KINDS);
  expect(Object.fromEntries(done.map(({ kind, rows }) => [kind, rows]))).toEqual({
    events: 1,
    messages: 1,
    contact_activity: 1,
    flow_runs: 1,
    flow_log: 2,
    carts: 1,
    mailbox: 0,
    webhook_deliveries: 0,
    requests: 0,
  });
  expect(linesOf('messages-2024-03.jsonl.gz')).toMatchObject([
    { idem_key: 'a', company_id: shop.company_id, activity: [{ type: 'opened' }] },
  ]);
  expect(linesOf('events-2024-03.jsonl.gz')).toMatchObject([{ data: { total: 12.5 } }]);
});

test('a folder whose state cannot be read stops the run and loses nothing', async () => {
  await mails(10, '2026-06-01T00:00:00Z');
  await run(['mailbox']);
  const size = statSync(join(own(), 'mailbox-2026-06.jsonl.gz')).size;
  writeFileSync(join(own(), 'archive.json'), '{');
  await expect(run(['mailbox'])).rejects.toThrow();
  expect(statSync(join(own(), 'mailbox-2026-06.jsonl.gz')).size).toBe(size);
});

test('as CSV each month has a header once, and a further file once there are more columns', async () => {
  await mails(3, '2026-06-01T00:00:00Z');
  await server.rows('update mailbox_messages set subject = \'a "b", c\' where company_id = $1', [shop.company_id]);
  const asCsv = (aheadDays: number, onPage?: () => void) => run(['mailbox'], aheadDays, onPage, 'csv');
  const interrupted = () => {
    throw new Error('interrupted');
  };
  await expect(asCsv(0, interrupted)).rejects.toThrow('interrupted');
  await asCsv(0);
  await mails(1, '2026-10-02T00:00:00Z');
  await mails(1, '2026-10-05T00:00:00Z');
  server.clock.set('2026-11-01T12:00:00Z');
  await asCsv(1);
  // As before the table had its newest column.
  const state = JSON.parse(readFileSync(join(own(), 'archive.json'), 'utf8'));
  const october = state.mailbox.columns['mailbox-2026-10.csv.gz'] as string[];
  state.mailbox.columns['mailbox-2026-10.csv.gz'] = october.slice(1);
  writeFileSync(join(own(), 'archive.json'), JSON.stringify(state));
  await asCsv(10);

  expect(filesOf()).toEqual(['mailbox-2026-06.csv.gz', 'mailbox-2026-10-2.csv.gz', 'mailbox-2026-10.csv.gz']);
  const textOf = (name: string): string[] =>
    gunzipSync(readFileSync(join(own(), name)))
      .toString()
      .split('\r\n');
  const june = textOf('mailbox-2026-06.csv.gz');
  expect(june).toHaveLength(3 + 2);
  expect(june[0]).toMatch(/^company_id,id,channel,/);
  expect(june[1]).toContain('"a ""b"", c"');
  expect(textOf('mailbox-2026-10.csv.gz')).toHaveLength(3);
  expect(textOf('mailbox-2026-10-2.csv.gz')).toHaveLength(3);
  await expect(run(['mailbox', 'events'])).rejects.toThrow('The folder has mailbox as csv');
  expect(filesOf()).toHaveLength(3);
});

test('a kind without files accepts any format', async () => {
  await run(['mailbox', 'events']);
  expect(filesOf()).toEqual([]);
  server.clock.set('2026-12-20T00:00:00Z');
  await mails(1, '2026-11-05T00:00:00Z');
  await run(['mailbox', 'events'], 31, undefined, 'csv');
  expect(filesOf()).toEqual(['mailbox-2026-11.csv.gz']);
});
