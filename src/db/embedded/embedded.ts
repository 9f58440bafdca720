import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkReachable, serverAccount } from './account.ts';
import { clusterEntries, prepareCluster } from './cluster.ts';
import { explainRefusal, lockDataFolder, lockIfUsed, openDataFolder, openTheWay, socketFolder } from './folder.ts';
import { findServer, stopServer } from './process.ts';
import { locateProgram } from './program.ts';
import { bringUp } from './server.ts';
import { openLog } from './server-log.ts';
import { type Connection, connectionAt, type ServerPlan } from './server-plan.ts';
import { serverArguments } from './settings.ts';
import { archiveSettings, prepareArchive } from './wal-archive.ts';

export interface EmbeddedPostgres {
  /** Settings for the `pg` client; `host` is the folder of the server's Unix socket. */
  connection: Connection;
  /** Whether a server left running by a killed program was taken over. */
  adopted: boolean;
  /** Whether the data folder was new. */
  firstStart: boolean;
  /** Ends the server (open transactions are rolled back) and frees the data folder. Further calls do nothing. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Created if need be. The server's data is in `postgres` below it, its log in `postgres.log`. */
  dataDir: string;
  /** Called with plain sentences about what happens. */
  log: (line: string) => void;
  /** Folder to which finished WAL segments are copied, for point-in-time recovery; null for none. */
  walArchive?: string | null;
  /** PostgreSQL settings by name, which override those of settings.ts. */
  extraSettings?: Record<string, string>;
  /** `${process.platform}-${process.arch}` if absent. */
  platform?: string;
}

const WATCH_MS = 1_000;
const WATCH_AFTER_FAILURE_MS = 5_000;

/**
 * Starts the PostgreSQL that comes with the product, on a data folder that belongs to this program alone until stop()
 * or the program's death. The server of a killed program keeps running, and the next start takes it over. A server that
 * dies is restarted within about a second.
 * @throws Error whose message is a sentence for the operator, with what to do
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const program = await locateProgram(options.platform ?? `${process.platform}-${process.arch}`);
  let unlock = () => {};
  try {
    const dataDir = await openDataFolder(options.dataDir);
    unlock = lockDataFolder(dataDir);
    const folder = join(dataDir, 'postgres');
    const account = await serverAccount(await stat(folder).catch(() => stat(dataDir)));
    await openTheWay(dataDir, account);
    for (const place of [dataDir, dirname(program.postgres)]) await checkReachable(place, account);
    const archive = options.walArchive ?? null;
    if (archive !== null) await prepareArchive(archive, account);
    const extra = { ...(archive === null ? {} : archiveSettings(archive)), ...options.extraSettings };
    const firstStart = await prepareCluster(dataDir, program, account, extra.fsync !== 'off');
    const host = socketFolder(dataDir, account);
    const plan: ServerPlan = {
      dataDir,
      folder,
      logFile: join(dataDir, 'postgres.log'),
      account,
      program: program.postgres,
      args: serverArguments(folder, host, extra),
      connection: connectionAt(host),
    };
    const adopted = await bringUp(plan);
    const halt = watch(plan, options.log);
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= halt().finally(unlock));
    return { connection: plan.connection, adopted, firstStart, stop };
  } catch (error) {
    unlock();
    throw explainRefusal(error, resolve(options.dataDir));
  }
}

/** Finds the server that runs on a data folder, for commands that run next to a program; undefined when there is none. Takes no lock. */
export async function findEmbedded(dataDir: string): Promise<Connection | undefined> {
  const folder = join(await realpath(dataDir).catch(() => resolve(dataDir)), 'postgres');
  const server = await findServer(folder).catch((error) => {
    throw explainRefusal(error, dataDir);
  });
  return server && connectionAt(server.socketFolder);
}

/**
 * Whether there is a database in the data folder. Creates nothing.
 * @throws DataFolderInUse while there is none, but a program that may be making it
 */
export async function holdsDatabase(dataDir: string): Promise<boolean> {
  const isThere = async () => (await clusterEntries(join(dataDir, 'postgres'))).length > 0;
  try {
    if (await isThere()) return true;
    const unlock = lockIfUsed(dataDir);
    // Its maker may have ended meanwhile.
    return await isThere().finally(unlock);
  } catch (error) {
    throw explainRefusal(error, resolve(dataDir));
  }
}

/**
 * Looks every second whether the server lives, starts it again if not, and keeps its log short.
 * @returns ends the watch and the server
 */
function watch(plan: ServerPlan, log: (line: string) => void): () => Promise<void> {
  const halt = new AbortController();
  const look = async (): Promise<number> => {
    try {
      await (await openLog(plan.logFile)).close();
      if (await findServer(plan.folder)) return WATCH_MS;
      log('PostgreSQL ended unexpectedly and is started again.');
      await bringUp(plan);
      log('PostgreSQL runs again.');
      return WATCH_MS;
    } catch (error) {
      if (!halt.signal.aborted) log((error as Error).message);
      return WATCH_AFTER_FAILURE_MS;
    }
  };
  const pause = (ms: number) => sleep(ms, true, { ref: false, signal: halt.signal }).catch(() => false);
  const rounds = (async () => {
    for (let ms = WATCH_MS; await pause(ms); ) ms = await look();
  })();
  return async () => {
    halt.abort();
    // A restart in progress either fails because of the first stop, or has its server ended by the second.
    await stopServer(plan.folder);
    await rounds;
    await stopServer(plan.folder);
  };
}
