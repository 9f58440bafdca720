import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { DestinationStream } from 'pino';
import { afterAll, beforeAll, inject } from 'vitest';
import { createKey } from '../access/api-key-service.ts';
import { type Company, createCompany } from '../access/service.ts';
import { createApp, type RunningApp } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import type { ShopTopic } from '../outbox/service.ts';
import type { App } from '../services.ts';
import { databaseOf } from './global-setup.ts';
import { recordedLog } from './recorded-log.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

/** What JSON.parse gives: bodies are read loosely in tests, what they hold is what the tests assert. */
export type TestBody = ReturnType<typeof JSON.parse>;

export interface TestResponse {
  status: number;
  headers: Headers;
  body: TestBody;
}

/** One company with a key for everything, and callers for both APIs. */
export interface TestCompany extends Company {
  key: string;
  commerce(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  marketing(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
}

export interface TestServer {
  app: App;
  clock: TestClock;
  /** http://127.0.0.1:port */
  origin: string;
  connection: pg.ClientConfig;
  /** With other files of this worker. */
  isShared: boolean;
  /** Where the log goes; for other apps of the same test. */
  logTo: DestinationStream;
  /** Where the metrics have a listener of their own. */
  metricsAddress(): AddressInfo;
  company(options?: {
    name?: string;
    currency?: string;
    timeZone?: string;
    scopes?: string[];
    requestsPerHour?: number;
  }): Promise<TestCompany>;
  request(
    method: string,
    path: string,
    init?: { body?: unknown; raw?: string | Buffer; headers?: Record<string, string> },
  ): Promise<TestResponse>;
  /** Rows of a statement of the test's own, past all services. */
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** How many processes of this database wait for a lock, or for one of these types of lock: other tests share the server. */
  lockWaits(...types: LockType[]): Promise<number>;
}

type LockType = 'advisory' | 'relation' | 'transactionid' | 'tuple';

const MOST_ATTEMPTS = 60;
/** Seconds. A key that is used up is told to wait for longer. */
const SOON = 5;

function isRefusedForNow({ status, headers }: TestResponse): boolean {
  const after = headers.get('retry-after');
  return (status === 429 || status === 503) && after !== null && Number(after) <= SOON;
}

/** The events of the shop that are still in the outbox, and those that endpoints were sent. */
const EVENTS_OF_SHOP = `
  select topic, payload as data from outbox
  union all
  select event_type, body::jsonb -> 'event_data' from webhook_deliveries where event_type <> 'ping'`;

interface ServerOptions {
  config?: Partial<Config>;
  clock?: TestClock;
  /** Every response, and every event of the shop, must be what the OpenAPI documents say. */
  described?: true;
  /**
   * Gives refusals back that ask for a repetition within some seconds: for tests of these. Otherwise such requests are
   * repeated, as clients do, since a machine that is busy refuses what waits for too long.
   */
  impatient?: true;
}

/**
 * A server of this test file's own: a fresh database from the template, the whole app on a free port, a clock that the
 * tests move. Call it at the top of the file; use it inside tests and hooks.
 */
export function testServer(options: ServerOptions = {}): TestServer {
  const { server, start, stop } = serverOf(options, recordedLog());
  beforeAll(start);
  afterAll(stop);
  return server;
}

let shared: (Startable & { started?: Promise<void> }) | undefined;
let logOfFile: DestinationStream;

/**
 * One server for all files of this worker that ask for it, with webhooks to private addresses allowed. A file makes
 * companies of its own there, and changes nothing that companies have in common, such as the clock.
 */
export function sharedServer(): TestServer {
  logOfFile = recordedLog();
  shared ??= serverOf({ config: { allowPrivateWebhooks: true } }, { write: (line) => logOfFile.write(line) });
  const { server, start, removeData } = shared;
  server.isShared = true;
  beforeAll(() => {
    if (shared!.started === undefined) process.once('exit', removeData);
    shared!.started ??= start();
    return shared!.started;
  });
  afterAll(() => {
    if (server.clock.offset !== 0) throw new Error('The clock was moved: this file needs a server of its own');
  });
  return server;
}

interface Startable {
  server: TestServer;
  start(): Promise<void>;
  stop(): Promise<void>;
  removeData(): void;
}

function serverOf(options: ServerOptions, logTo: DestinationStream): Startable {
  const clock = options.clock ?? createTestClock();
  const server = { clock, logTo, isShared: false } as TestServer;
  let running: RunningApp;
  let database: string;
  let admin: pg.Client;
  let direct: pg.Pool;
  let dataDir: string | undefined;

  const start = async (): Promise<void> => {
    const { connection, template } = inject('postgres');
    admin = new pg.Client(connection);
    await admin.connect();
    database = `${template}_${process.pid}_${Math.floor(performance.timeOrigin + performance.now())}`;
    // Copied as files: what the template holds goes through the log of transactions otherwise.
    await admin.query(`create database ${database} template ${template} strategy file_copy`);
    server.connection = databaseOf(connection, database);
    direct = new pg.Pool({ ...server.connection, max: 2 });
    direct.on('error', () => {});
    dataDir = mkdtempSync(join(tmpdir(), 'tradeloom-data-'));
    const config = {
      ...readConfig({ port: 0, dataDir }, {}),
      logLevel: 'error' as const,
      dnsServers: ['127.0.0.1:9'],
      // No test calls the services themselves.
      paymentUrls: { stripe: 'http://127.0.0.1:9', mollie: 'http://127.0.0.1:9/v2/' },
      ...options.config,
    };
    const testClock = config.testClock ? clock : undefined;
    running = await createApp({ config, clock, testClock, connection: server.connection, logTo });
    server.app = running.app;
    const { commerce, marketing, store } = running.app.routes;
    if (options.described) (await import('./described.ts')).watchResults([...commerce, ...marketing, ...store]);
    server.origin = await running.server.listen({ host: '127.0.0.1', port: 0 });
  };

  const removeData = (): void => {
    if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
  };

  const stop = async (): Promise<void> => {
    if (options.described && running !== undefined) {
      const events = await server.rows<{ topic: ShopTopic; data: object }>(EVENTS_OF_SHOP);
      (await import('./described.ts')).expectDescribedEvents(events);
    }
    await running?.stop();
    removeData();
    await direct?.end();
    await admin?.query(`drop database if exists ${database} with (force)`);
    await admin?.end();
  };

  server.metricsAddress = () => running.server.metricsAddress!()!;
  server.rows = async <Row>(text: string, values: unknown[] = []) => (await direct.query(text, values)).rows as Row[];
  server.lockWaits = async (...types) => {
    const [row] = await server.rows<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and ($1::text[] = '{}' or wait_event = any ($1))`,
      [types],
    );
    return row!.n;
  };
  const send: TestServer['request'] = async (method, path, init = {}) => {
    const headers: Record<string, string> = { ...init.headers };
    let body: string | Buffer | undefined = init.raw;
    if (init.body !== undefined) body = JSON.stringify(init.body);
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const fetched = await fetch(server.origin + path, {
      method,
      headers,
      body: body as string | undefined,
      redirect: 'manual',
    });
    const text = await fetched.text();
    const response = { status: fetched.status, headers: fetched.headers, body: parse(text) };
    // Loaded where it is wanted: most test files do without.
    if (options.described) (await import('./described.ts')).expectDescribed(method, path, response);
    return response;
  };
  server.request = async (method, path, init) => {
    let response = await send(method, path, init);
    for (let attempt = 2; !options.impatient && isRefusedForNow(response) && attempt <= MOST_ATTEMPTS; attempt++) {
      await setTimeout(1_000 * Math.random());
      response = await send(method, path, init);
    }
    return response;
  };
  server.company = async (made = {}) => {
    const company = await createCompany(server.app.db, {
      name: made.name ?? 'Test shop',
      currency: made.currency ?? 'USD',
      timeZone: made.timeZone ?? 'UTC',
      country: 'US',
      now: clock.now(),
      masterKey: server.app.masterKey,
    });
    const { key } = await createKey(server.app.db, {
      companyId: company.company_id,
      name: 'test',
      scopes: made.scopes ?? ['*'],
      requestsPerHour: made.requestsPerHour ?? 0,
      expiresAt: null,
      now: clock.now(),
      actor: 'test',
    });
    return {
      ...company,
      key,
      commerce: (method, path, body, headers) =>
        server.request(method, `/commerce/v1${path}`, { body, headers: { 'x-api-key': key, ...headers } }),
      marketing: (method, path, body, headers) =>
        server.request(method, `/marketing/v1${path}`, {
          body,
          headers: { authorization: `Bearer ${key}`, 'x-company-id': String(company.company_id), ...headers },
        }),
    };
  };
  return { server, start, stop, removeData };
}

function parse(text: string): TestBody {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
