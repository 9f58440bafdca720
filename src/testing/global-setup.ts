import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded/embedded.ts';
import { DATABASE } from '../db/embedded/server-plan.ts';
import { migrate } from '../db/migrate.ts';
import { dataRoot } from './data-root.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Settings that reach the test server; each test file makes its own database from the template. */
    postgres: { connection: pg.ClientConfig; template: string };
    /** A data folder's database, migrated and stopped, which programs under test copy; null with TEST_DATABASE_URL. */
    preparedCluster: string | null;
  }
}

/**
 * One PostgreSQL for the whole run (the embedded one, or TEST_DATABASE_URL) with one migrated template database, of
 * which every test file gets a copy of its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer(process.env.TEST_DATABASE_URL);
  const template = `tradeloom_template_${process.pid}`;
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query(`drop database if exists ${template}`);
  if (server.prepared === null) {
    await admin.query(`create database ${template}`);
    await migrate(databaseOf(server.connection, template));
  } else await admin.query(`create database ${template} template ${DATABASE} strategy file_copy`);
  project.provide('postgres', { connection: server.connection, template });
  project.provide('preparedCluster', server.prepared);
  return async () => {
    const { rows } = await admin.query<{ datname: string }>('select datname from pg_database where datname like $1', [
      `${template}%`,
    ]);
    for (const { datname } of rows) await admin.query(`drop database if exists ${datname} with (force)`);
    await admin.end();
    await server.stop();
  };
}

interface Server {
  connection: pg.ClientConfig;
  prepared: string | null;
  stop(): Promise<void>;
}

async function startServer(url: string | undefined): Promise<Server> {
  if (url) return { connection: { connectionString: url }, prepared: null, stop: async () => {} };
  const dataDir = await mkdtemp(join(dataRoot(), 'tradeloom-test-'));
  const start = (): Promise<EmbeddedPostgres> =>
    startEmbedded({
      dataDir,
      log: () => {},
      // The runs' data is thrown away. Tests of crashes kill programs, not the machine: what was written survives that.
      extraSettings: {
        fsync: 'off',
        full_page_writes: 'off',
        wal_compression: 'off',
        autovacuum_naptime: '60s',
        max_connections: '200',
      },
    });
  const first = await start();
  await migrate(first.connection);
  await first.stop();
  const prepared = join(dataDir, 'prepared');
  await cp(join(dataDir, 'postgres'), prepared, { recursive: true });
  const server = await start();
  return {
    connection: server.connection,
    prepared,
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same server, another database. */
export function databaseOf(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  if (connection.connectionString === undefined) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/** The settings as a DATABASE_URL for a program under test. */
export function connectionUrl(connection: pg.ClientConfig): string {
  if (connection.connectionString !== undefined) return connection.connectionString;
  const { user, host, port, database } = connection;
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host!)}&port=${port}`;
}
