import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadMasterKey, type MasterKey } from '../access/master-key.ts';
import { requireMasterKey } from '../access/sealing/require-key.ts';
import { monotonicMs } from '../clock.ts';
import { type Config, readConfig } from '../config.ts';
import { workOn } from '../db/barrier/work-connection.ts';
import { createDb } from '../db/create-db.ts';
import { type EmbeddedPostgres, findEmbedded, holdsDatabase, startEmbedded } from '../db/embedded/embedded.ts';
import { DataFolderInUse } from '../db/embedded/folder.ts';
import { migrate } from '../db/migrate.ts';
import type { ConnectionSettings, Db } from '../db/pool.ts';
import { UsageError } from './output.ts';
import { type Interruption, interruptible } from './signals/interruption.ts';

/** What a command works with. */
export interface Workplace {
  config: Readonly<Config>;
  connection: ConnectionSettings;
  db: Db;
  masterKey: MasterKey;
  interruption: Interruption;
}

/** Connections per lane: a command does one thing after the other. */
const FEW = { points: 1, lists: 1, writes: 2, chores: 1 };
const PATIENCE_MS = 20_000;
const [POLL_MS, CONNECT_MS] = [100, 5_000];
/** Advisory lock, shared by the commands that use the server, exclusive for the one that ends it. An otherwise unused number. */
const DOOR = 7_265_319_405;

/** Reads the settings of a command; invalid ones are a usage error. */
export function settings(flags: Parameters<typeof readConfig>[0]): Readonly<Config> {
  try {
    return readConfig(flags);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Whether a command that finds no embedded database makes one; else it is refused, since its data folder is the wrong one. */
interface Beginning {
  begins?: boolean;
}

/**
 * Runs a command's work on the database of the settings: DATABASE_URL, or the embedded one of the data folder, which
 * is shared with a program that runs there and is otherwise started for as long as the work takes.
 */
export async function withDatabase<T>(
  flags: { dataDir?: string },
  work: (place: Workplace) => Promise<T>,
  beginning: Beginning = {},
): Promise<T> {
  const config = settings(flags);
  const onConnection = async (connection: ConnectionSettings, interruption: Interruption): Promise<T> => {
    await migrate(connection);
    const { connection: working, barrier } = await workOn(connection);
    const db = createDb({ connection: working, wire: config.databaseWire, barrier, connections: FEW });
    try {
      const masterKey = loadMasterKey(config.dataDir, config.masterKey);
      // What begins also seals secrets, by which the next start would take a wrong key for the right one.
      if (beginning.begins) await requireMasterKey(db, masterKey, config);
      return await work({ config, connection, db, masterKey, interruption });
    } finally {
      await db.close();
    }
  };
  return withConnection(config, onConnection, beginning);
}

/** The same without a schema check: the database as it is. */
export async function withConnection<T>(
  config: Readonly<Config>,
  work: (connection: ConnectionSettings, interruption: Interruption) => Promise<T>,
  { begins = false }: Beginning = {},
): Promise<T> {
  const { databaseUrl } = config;
  if (databaseUrl !== null) {
    return interruptible((interruption) => work(connectionOf(databaseUrl), interruption));
  }
  return interruptible(async (interruption) => {
    const borrowed = borrowEmbedded(config, begins, interruption.signal);
    let released: Promise<void> | undefined;
    const release = (): Promise<void> => (released ??= borrowed.then((server) => server.release()));
    // Where there is no server, none is given back.
    interruption.before(() => borrowed.then(release, () => {}));
    const { connection } = await borrowed;
    try {
      return await work(connection, interruption);
    } finally {
      await release();
    }
  });
}

/** Whoever connects gives up where nothing responds, long before TCP does. */
export function connectionOf(databaseUrl: string): ConnectionSettings {
  return { connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS };
}

async function borrowEmbedded(
  { dataDir, walArchive }: Readonly<Config>,
  begins: boolean,
  signal: AbortSignal,
): Promise<{ connection: ConnectionSettings; release(): Promise<void> }> {
  const deadline = monotonicMs() + PATIENCE_MS;
  for (;;) {
    const running = await findEmbedded(dataDir);
    const visit = running && (await enter(running));
    if (running !== undefined && visit !== undefined) return { connection: running, release: () => visit.end() };
    try {
      if (!begins && !(await holdsDatabase(dataDir))) {
        throw new Error(`There is no database in ${dataDir}: name its folder with --data-dir`);
      }
      const server = await startEmbedded({ dataDir, walArchive, log: () => {} });
      return { connection: server.connection, release: () => closeDown(server) };
    } catch (error) {
      // Its holder is starting or stopping: soon there is a server to share, or the folder is free.
      if (!(error instanceof DataFolderInUse) || monotonicMs() > deadline) throw error;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

/** Opens a connection that keeps the server of another command running; undefined if that is about to stop. */
async function enter(connection: ConnectionSettings): Promise<pg.Client | undefined> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_MS });
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

/** Waits for the commands that share this command's server, and ends it; no other can join meanwhile. */
async function closeDown(server: EmbeddedPostgres): Promise<void> {
  const client = new pg.Client({ ...server.connection, lock_timeout: PATIENCE_MS });
  // The server's end closes this connection, which holds the lock until then.
  client.on('error', () => {});
  await client.connect();
  // A command that hangs does not keep the server running indefinitely.
  await client.query('select pg_advisory_lock($1)', [DOOR]).catch(() => {});
  await server.stop();
}
