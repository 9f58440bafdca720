import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadMasterKey } from '../../access/master-key.ts';
import { requireMasterKey } from '../../access/sealing/require-key.ts';
import { issueSignIn } from '../../access/sessions.ts';
import { hasOwner } from '../../admin/accounts/service.ts';
import { createApp, type RunningApp } from '../../app.ts';
import { createMovableClock, monotonicMs, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { requireDurability } from '../../db/durability.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { describeLeft, findLeftServers } from '../../db/embedded/left-servers.ts';
import { connectionBudget } from '../../db/lanes/lanes.ts';
import { migrate } from '../../db/migrate.ts';
import type { ConnectionSettings } from '../../db/pool.ts';
import { firstStart } from '../../demo/service.ts';
import { replayFile } from '../../erasure/service.ts';
import { findHold, findInstallation } from '../../installation.ts';
import { holdIfMoved } from '../../messaging/service.ts';
import { connectionOf } from '../database.ts';
import { UsageError } from '../output.ts';
import { ForcedEnd, listenForTermination, type Termination } from '../signals/termination.ts';
import { logStart, logStop } from './log-lines.ts';
import { signInUrl, welcome, welcomeWithoutSecrets } from './welcome.ts';

/** Requests in flight get 10 s (see app.ts); the rest is for what ends after them. */
const HARD_END_MS = 12_000;

interface Database {
  connection: ConnectionSettings;
  stop(): Promise<void>;
}

/** `tradeloom start`: starts everything, waits for SIGTERM or SIGINT, then stops everything in order. */
export async function serve(config: Readonly<Config>, options: { empty: boolean }): Promise<void> {
  if (config.testClock && config.role !== 'all') throw new UsageError('--test-clock requires --role all');
  const began = monotonicMs();
  const termination = listenForTermination();
  const database = await openDatabase(config);
  try {
    await Promise.race([live(config, { ...options, began }, database.connection, termination), termination.forced]);
  } finally {
    // Also after a forced end: nothing else would stop it.
    await database.stop();
  }
}

async function live(
  config: Readonly<Config>,
  options: { empty: boolean; began: number },
  connection: ConnectionSettings,
  { asked }: Termination,
): Promise<void> {
  if (config.mode === 'production') await requireDurability(connection);
  const { applied, isPooled } = await migrate(connection);
  const running = await createRunning(config, connection);
  try {
    const listening = await open(running, options);
    const workers = config.role === 'api' ? [] : running.app.workers.map(({ name }) => name);
    const { began } = options;
    if (!isPooled) await warnOfFewConnections(running.app.log, connection);
    await logStart(running.app.log, running.app.db.strangers, config, {
      began,
      connection,
      applied,
      listening,
      workers,
    });
    running.app.log.info({ signal: await asked }, 'stopping');
  } finally {
    await stopInTime(running);
  }
}

/** Processes that need more connections than there are take turns at them: requests wait, and are refused under load. */
async function warnOfFewConnections(log: Logger, connection: ConnectionSettings): Promise<void> {
  const { processes, most, allowed } = await connectionBudget(connection);
  if (most <= allowed) return;
  log.warn(
    { processes, connections: most, allowed },
    `the processes on this database server can open ${most} connections, but it allows ${allowed}. Raise max_connections`,
  );
}

/** What has not ended by then waits for something that will not come: a database that went silent, for example. */
async function stopInTime(running: RunningApp): Promise<void> {
  const ended = new AbortController();
  const late = sleep(HARD_END_MS, true, { signal: ended.signal }).catch(() => false);
  const stopped = running.stop().then((report) => {
    logStop(running.app.log, report);
    return false;
  });
  const isLate = await Promise.race([stopped, late]);
  ended.abort();
  if (isLate) throw new ForcedEnd(`The shutdown did not finish within ${HARD_END_MS / 1_000} s`);
}

async function openDatabase(config: Readonly<Config>): Promise<Database> {
  if (config.databaseUrl !== null) {
    return { connection: connectionOf(config.databaseUrl), stop: async () => {} };
  }
  const log = (line: string): boolean => process.stderr.write(`${line}\n`);
  const server = await startEmbedded({ dataDir: config.dataDir, walArchive: config.walArchive, log });
  const say = (line: string): boolean => process.stdout.write(`${line}\n`);
  if (server.adopted) say('Took over the PostgreSQL server that an earlier start left running.');
  // Servers of other folders are not relevant to this start.
  for (const left of await findLeftServers()) log(describeLeft(left));
  return server;
}

/** With the test clock, time continues from where it was last set. */
async function createRunning(config: Readonly<Config>, connection: ConnectionSettings): Promise<RunningApp> {
  const testClock = config.testClock ? createMovableClock() : undefined;
  const running = await createApp({ config, clock: systemClock, testClock, connection });
  const { app } = running;
  const { clock_offset_ms: ahead } = await findInstallation(app.db);
  testClock?.advanceTo(new Date(systemClock.now().getTime() + ahead));
  if (ahead > 0 && !testClock) app.log.warn({ ahead_ms: ahead }, 'the time of this data was put forward: --test-clock');
  return running;
}

/** Returns the address that it listens on; null for a process that serves no API. */
async function open({ app, server, startWorkers }: RunningApp, options: { empty: boolean }): Promise<string | null> {
  const { config } = app;
  await requireMasterKey(app.db, loadMasterKey(config.dataDir, config.masterKey), config, app.log);
  // A demo shop in production would be a nasty surprise.
  const empty = options.empty || config.mode === 'production';
  const demo = await firstStart(app, { empty, origin: app.origin() });
  await holdIfMoved({ db: app.db, config, now: app.clock.now() });
  if (config.role !== 'api') await app.moveWatch.look();
  await replayFile(app);
  const hold = await findHold(app.db);
  if (hold !== null)
    app.log.warn({ since: hold.since, because: hold.because }, 'sending is held: tradeloom sending confirm');
  for (const { name, sentence } of app.messaging.missing) {
    app.log.warn({ setting: name }, `${sentence}: messages that need it are held`);
  }
  if (config.role !== 'api') startWorkers();
  if (config.role === 'worker') {
    // It serves no API, but runs what the server has in addition (the listener of the metrics).
    await server.ready();
    return null;
  }
  const listening = await listen(server, config);
  // Output that is not a terminal is a log, which more people read than may sign in.
  if (!process.stdout.isTTY && !config.printSecrets) {
    const linkIn = (await hasOwner(app.db.strangers)) ? null : await writeSignInLink(app);
    process.stdout.write(welcomeWithoutSecrets(app.origin(), { demo, held: hold?.because ?? null, linkIn }));
    return listening;
  }
  const token = await issueSignIn(app.db, app.machineClock.now());
  // In production there is no storefront of the demo shop, and no mailbox.
  const { demo: ids } = config.mode === 'production' ? { demo: null } : await findInstallation(app.db);
  process.stdout.write(welcome({ origin: app.origin(), token, ids, demo, held: hold?.because ?? null }));
  return listening;
}

/** Writes the first owner's link beside the master key, for this user alone. Returns the file. */
async function writeSignInLink({ db, machineClock, origin, config }: RunningApp['app']): Promise<string> {
  const file = join(config.dataDir, 'sign-in-link');
  const token = await issueSignIn(db, machineClock.now());
  await mkdir(config.dataDir, { recursive: true });
  await rm(file, { force: true });
  await writeFile(file, `${signInUrl(origin(), token)}\n`, { flag: 'wx', mode: 0o600 });
  return file;
}

/** An address of another machine, one of a network that is missing here, or a name that does not resolve. */
const NOT_HERE: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND']);

async function listen(server: RunningApp['server'], { host, port }: Readonly<Config>): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} is in use. Choose another one with --port`, { cause: error });
    if (code === 'EACCES') {
      throw new Error(`This user cannot listen on port ${port}. Choose another one with --port`, { cause: error });
    }
    if (NOT_HERE.has(code)) {
      throw new Error(`${host} is not an address of this machine. Choose another one with --host`, { cause: error });
    }
    throw error;
  }
  return server.addresses().map(addressOf).join(', ');
}

/** As it is listened on: that of all networks stays 0.0.0.0, so that nobody takes the server for a local one. */
function addressOf(listening: AddressInfo | string): string {
  if (typeof listening === 'string') return listening;
  const { address, family, port } = listening;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
