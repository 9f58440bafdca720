import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadMasterKey, type MasterKey } from '../access/master-key.ts';
import { monotonicMs } from '../clock.ts';
import { type Config, readConfig } from '../config.ts';
import { workOn } from '../db/barrier/work-connection.ts';
import { createDb } from '../db/create-db.ts';
import { type EmbeddedPostgres, findEmbedded, startEmbedded } from '../db/embedded/embedded.ts';
import { DataFolderInUse } from '../db/embedded/folder.ts';
import { migrate } from '../db/migrate.ts';
import type { ConnectionSettings, Db } from '../db/pool.ts';
import { UsageError } from './output.ts';

/** What a command works on. */
export interface Workplace {
  config: Readonly<Config>;
  connection: ConnectionSettings;
  db: Db;
  masterKey: MasterKey;
}

/** A command does one thing after the other. */
const FEW = { points: 1, lists: 1, writes: 2, chores: 1 };
/** A server that is just starting, or stopping, is waited for this long. */
const PATIENCE_MS = 20_000;
const POLL_MS = 100;
/** Held shared by the commands inside, and alone by the one that ends the server. Any number that nothing else locks. */
const DOOR = 7_265_319_405;

/** The settings of a command; wrong ones are a wrong call. */
export function settings(flags: Parameters<typeof readConfig>[0]): Readonly<Config> {
  try {
    return readConfig(flags);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * Runs a command's work on the database of the settings: DATABASE_URL, or the embedded one of the data folder, which
 * is shared with a program that runs there and is otherwise started for as long as the work takes.
 */
export async function withDatabase<T>(flags: { dataDir?: string }, work: (place: Workplace) => Promise<T>): Promise<T> {
  const config = settings(flags);
  return withConnection(config, async (connection) => {
    await migrate(connection);
    const { connection: working, barrier } = await workOn(connection);
    const db = createDb({ connection: working, barrier, connections: FEW });
    try {
      return await work({ config, connection, db, masterKey: loadMasterKey(config.dataDir, config.masterKey) });
    } finally {
      await db.close();
    }
  });
}

/** The same without a schema: the database as it is. */
export async function withConnection<T>(
  config: Readonly<Config>,
  work: (connection: ConnectionSettings) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== null) return work({ connectionString: config.databaseUrl });
  const { connection, release } = await borrowEmbedded(config);
  try {
    return await work(connection);
  } finally {
    await release();
  }
}

async function borrowEmbedded({
  dataDir,
  walArchive,
}: Readonly<Config>): Promise<{ connection: ConnectionSettings; release(): Promise<void> }> {
  const deadline = monotonicMs() + PATIENCE_MS;
  for (;;) {
    const running = await findEmbedded(dataDir);
    const visit = running && (await enter(running));
    if (running !== undefined && visit !== undefined) return { connection: running, release: () => visit.end() };
    try {
      const server = await startEmbedded({ dataDir, walArchive, log: () => {} });
      return { connection: server.connection, release: () => closeDown(server) };
    } catch (error) {
      // Its holder is on the way up or down: soon there is a server to share, or a folder to have.
      if (!(error instanceof DataFolderInUse) || monotonicMs() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** A connection that keeps a server which another command has started running; undefined where that is about to stop. */
async function enter(connection: ConnectionSettings): Promise<pg.Client | undefined> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ open: boolean }>('select pg_try_advisory_lock_shared($1) as open', [DOOR]);
    if (rows[0]!.open) return client;
  } catch {
    // It is starting or stopping.
  }
  await client.end().catch(() => {});
  return undefined;
}

/** Waits for the commands that share this command's server, and ends it; none comes in meanwhile. */
async function closeDown(server: EmbeddedPostgres): Promise<void> {
  const client = new pg.Client({ ...server.connection, lock_timeout: PATIENCE_MS });
  // The end of the server is the end of this connection, which holds the door until then.
  client.on('error', () => {});
  await client.connect();
  // One that hangs does not keep the server for ever.
  await client.query('select pg_advisory_lock($1)', [DOOR]).catch(() => {});
  await server.stop();
}
