import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs } from '../../clock.ts';
import { giveFolder, spawnAs } from './account.ts';
import { makeSocketFolder } from './folder.ts';
import { findServer, type ServerProcess, signal } from './process.ts';
import { lastWords, openLog, startFailure } from './server-log.ts';
import type { Connection, Launch, ServerPlan } from './server-plan.ts';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const RETRY_MS = 500;
/** What a server reports while another one is just starting on its folder, or while children of a killed one have not ended yet. */
const STILL_IN_USE = /lock file "postmaster\.pid" already exists|pre-existing shared memory block/;

/**
 * Ensures that the planned server runs and responds. Takes over a running one as it is, but restarts it when it has
 * other settings or another program file, is about to stop, or has lost its socket. The caller holds the lock of the
 * data folder.
 * @returns true when a running server was taken over
 * @throws Error with the last lines of the server's log when it ends, or does not respond within 60 s
 */
export async function bringUp(plan: ServerPlan): Promise<boolean> {
  const timeoutMs = plan.startTimeoutMs ?? START_TIMEOUT_MS;
  const deadline = monotonicMs() + timeoutMs;
  let launch: Launch | undefined;
  let dismissed = false;
  await makeSocketFolder(plan.connection.host, plan.dataDir, plan.account);
  for (; monotonicMs() < deadline; await sleep(POLL_MS)) {
    plan.signal?.throwIfAborted();
    if (launch?.ended) {
      const words = await lastWords(plan, launch);
      if (!STILL_IN_USE.test(words)) throw await startFailure(plan, launch.ended, words);
      launch = undefined;
      await sleep(RETRY_MS);
    }
    const server = await findServer(plan.folder);
    if (!server) {
      launch ??= await launchServer(plan);
      continue;
    }
    const state = await judge(plan, server, launch !== undefined);
    if (state === 'ready') return !launch;
    if (state === 'unfit' && !launch && !dismissed) {
      signal(server, 'SIGINT');
      dismissed = true;
    }
  }
  throw new Error(
    `PostgreSQL on ${plan.folder} was not ready after ${timeoutMs / 1_000} s. After a crash it may have much to ` +
      `recover and goes on with that by itself: start again in a few minutes, and see ${plan.logFile}.`,
  );
}

type State = 'ready' | 'wait' | 'unfit';

async function judge(plan: ServerPlan, server: ServerProcess, ours: boolean): Promise<State> {
  if (server.status === 'starting') return 'wait';
  if (!ours && (server.status === 'stopping' || !(await isAsPlanned(plan)))) return 'unfit';
  return probe(plan.connection);
}

/** PostgreSQL keeps the command line that started the present server. */
async function isAsPlanned(plan: ServerPlan): Promise<boolean> {
  const words = plan.args.map((word) => ` "${word}"`).join('');
  const used = await readFile(join(plan.folder, 'postmaster.opts'), 'utf8').catch(() => '');
  return used.trim() === plan.program + words;
}

async function probe(connection: Connection): Promise<State> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return 'ready';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ECONNREFUSED' ? 'unfit' : 'wait';
  }
}

/** Starts the server in a session of its own, so that neither Ctrl-C in the terminal nor this program's death reaches it. */
async function launchServer(plan: ServerPlan): Promise<Launch> {
  await giveFolder(plan.folder, plan.account);
  await removeStaleLocks(plan);
  const log = await openLog(plan.logFile);
  await log.chown(plan.account.uid, plan.account.gid);
  const launch: Launch = { logStart: (await log.stat()).size };
  const child = spawnAs(plan.account, plan.program, plan.args, { detached: true, stdio: ['ignore', log.fd, log.fd] });
  child.once('error', (error) => {
    launch.ended = error.message;
  });
  child.once('exit', (code, killedBy) => {
    launch.ended = killedBy ?? `exit code ${code}`;
  });
  child.unref();
  await log.close();
  return launch;
}

/**
 * Removes the lock files of a killed server. They name a process id that may by now belong to any other process, and PostgreSQL
 * would refuse to start. The data is still protected by the shared memory that a living server, or a child of a dead one, holds.
 */
async function removeStaleLocks({ folder, connection }: ServerPlan): Promise<void> {
  const socket = join(connection.host, `.s.PGSQL.${connection.port}`);
  for (const path of [join(folder, 'postmaster.pid'), socket, `${socket}.lock`]) await rm(path, { force: true });
}
