import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectionUrl, databaseOf } from '../global-setup.ts';
import {
  type Outcome,
  type Program,
  startProgram,
  startWorkerProgram,
  tradeloom,
  tradeloomProcess,
} from '../program.ts';
import { createLoad } from './load.ts';
import { olderTree } from './older-tree.ts';

/**
 * ROLLING_ROUNDS=20 runs more upgrades; ROLLING_FROM=v1.2.0 upgrades from another commit than the last release or, without a release, the
 * one before the newest migration or the last that changed one.
 */
const ROUNDS = Number(process.env.ROLLING_ROUNDS ?? 1);
const CALLERS = 4;
const dataDir = mkdtempSync(join(tmpdir(), 'tradeloom-rolling-'));
const older = await olderTree(process.env.ROLLING_FROM);

let admin: pg.Client;
let database: string;
let connection: pg.ClientConfig;
let client: pg.Client;
let afterReceiver = (): void => {};
const programs: { end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Outcome> }[] = [];

/** Registers the program, so that it is ended even when the test fails. */
function kept<P extends (typeof programs)[number]>(program: P): P {
  programs.push(program);
  return program;
}

beforeAll(async () => {
  const { connection: server, template } = inject('postgres');
  admin = new pg.Client(server);
  await admin.connect();
  database = `${template}_rolling_${process.pid}`;
  await admin.query(`create database ${database}`);
  connection = databaseOf(server, database);
  client = new pg.Client(connection);
  await client.connect();
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.end('SIGKILL')));
  afterReceiver();
  await client.end();
  await admin.query(`drop database if exists ${database} with (force)`);
  await admin.end();
  rmSync(dataDir, { recursive: true, force: true });
  if (typeof older !== 'string') rmSync(older.folder, { recursive: true, force: true });
});

/** A webhook endpoint that accepts everything and keeps the ids of orders as they arrive. */
async function receiver(): Promise<{ url: string; orders: number[] }> {
  const orders: number[] = [];
  const server = createServer(async (request, response) => {
    const { event_data } = JSON.parse(await text(request)) as { event_data: { order_id: number | string } };
    orders.push(Number(event_data.order_id));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterReceiver = () => void server.close();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, orders };
}

/** Returns what a command of the older program prints. */
async function json(args: string[], env: Record<string, string>, main: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await tradeloomProcess([...args, '--json'], env, main);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test(`processes are replaced by those of a newer version and back ${ROUNDS} times under load: no request fails, nothing is lost or doubled`, {
  timeout: 240_000 + ROUNDS * 60_000,
}, async (context) => {
  if (typeof older === 'string') {
    process.stderr.write(`SKIPPED the upgrade of running programs: ${older}\n`);
    return context.skip(older);
  }
  const { main: before, newer } = older;
  const told = await receiver();
  const env = {
    DATABASE_URL: connectionUrl(connection),
    TRADELOOM_DATA_DIR: dataDir,
    TRADELOOM_ALLOW_PRIVATE_WEBHOOKS: '1',
  };
  let api: Program = kept(await startProgram(['--role', 'api', '--empty'], env, before));
  let worker = kept(startWorkerProgram(env, before));
  const numberOf = async (select: string): Promise<number> => Number((await client.query(select)).rows[0]!.n);
  const migrations = 'select count(*) as n from schema_migrations';
  const known = await numberOf(migrations);

  const { company_id } = await json(['companies', 'create', '--name', 'Open all day'], env, before);
  const company = String(company_id);
  const { key } = await json(
    ['keys', 'create', '--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'],
    env,
    before,
  );
  const load = createLoad(() => api.origin, { companyId: Number(company), key: String(key) });
  await load.prepare(told.url);
  const done = load.run(CALLERS);
  try {
    for (let replaced = 0; replaced < ROUNDS * 2; replaced++) {
      // Alternates between the newer version and the one before.
      const main = replaced % 2 === 0 ? undefined : before;
      const last = api;
      api = kept(await startProgram(['--role', 'api'], env, main));
      const served = load.requests();
      const { code, stderr } = await last.end('SIGTERM');
      expect([code, stderr]).toEqual([0, expect.not.stringMatching(/"level":(50|60)/)]);
      await expect.poll(() => load.requests(), { timeout: 30_000 }).toBeGreaterThan(served + 20);
      const nextWorker = kept(startWorkerProgram(env, main));
      expect((await worker.end('SIGTERM')).code).toBe(0);
      worker = nextWorker;
    }
  } finally {
    load.stop();
    await done;
  }
  expect(load.failures).toEqual([]);
  expect(await numberOf(migrations)).toBe(known + newer.length);

  const { orders, events } = load.acknowledged;
  expect(orders.length).toBeGreaterThan(ROUNDS * 10);
  expect([new Set(orders).size, new Set(events).size]).toEqual([orders.length, events.length]);
  expect(await numberOf('select count(*) as n from orders')).toBe(orders.length);
  const ofType = (type: string): Promise<number> =>
    numberOf(`select count(*) as n from events where event_type = '${type}'`);
  expect(await ofType('product_viewed')).toBe(events.length);
  // What happened in the shop has arrived on the marketing side, once each.
  await expect.poll(() => ofType('order_placed'), { timeout: 60_000 }).toBe(orders.length);
  await expect.poll(() => numberOf('select count(*) as n from outbox'), { timeout: 30_000 }).toBe(0);
  expect(await ofType('order_placed')).toBe(orders.length);
  // So have the results of the flow and the webhook endpoint.
  const states = async (table: string): Promise<unknown> =>
    (await client.query(`select status, count(*)::int as n from ${table} group by 1 order by 1`)).rows;
  await expect.poll(() => states('messages'), { timeout: 60_000 }).toEqual([{ status: 'sent', n: orders.length }]);
  const delivered = [{ status: 'delivered', n: orders.length }];
  await expect.poll(() => states('webhook_deliveries'), { timeout: 60_000 }).toEqual(delivered);
  expect(await numberOf('select count(*) as n from mailbox_messages')).toBe(orders.length);
  const ofRuns = `select count(distinct r.event -> 'data' ->> 'order_id') as n
    from messages m join flow_runs r on r.company_id = m.company_id and r.id = m.run_id`;
  expect(await numberOf(ofRuns)).toBe(orders.length);
  expect(await numberOf('select count(distinct entity) as n from webhook_deliveries')).toBe(orders.length);
  expect(told.orders.toSorted((a, b) => a - b)).toEqual(orders.toSorted((a, b) => a - b));
  const { stdout } = await tradeloom(['doctor', '--json'], env);
  const { checks } = JSON.parse(stdout) as { checks: { id: string; ok: boolean }[] };
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  for (const program of [await api.end('SIGTERM'), await worker.end('SIGTERM')]) expect(program.code).toBe(0);
});
