import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** How long a migration waits for a lock: meanwhile everybody else who wants the table queues after it. */
const LOCK_TIMEOUT_MS = 2_000;
const ATTEMPTS = 20;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
/** How often a process that waits for another's migration looks again. */
const POLL_MS = 100;

/**
 * Runs a migration, which stops waiting for a lock after two seconds, and retries it after pauses in which the others
 * proceed. Throws the last failure, with what blocks it.
 */
export async function withLocks(
  client: pg.Client,
  work: () => Promise<void>,
  options: { log?: (line: string) => void; name: string; pauseMs?: number; attempts?: number },
): Promise<void> {
  const { attempts = ATTEMPTS, pauseMs = 1_000 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
      if (attempt === attempts) {
        throw new Error(
          `Migration ${options.name} did not get its locks in ${attempts} attempts: end long transactions (pg_stat_activity) and start again`,
          { cause: error },
        );
      }
      options.log?.(`Migration ${options.name} waits for a lock, attempt ${attempt} of ${attempts}`);
      await sleep(pauseMs * Math.min(attempt, 5));
    } finally {
      await client.query('set lock_timeout = 0');
    }
  }
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof pg.DatabaseError ? error : (error as Error).cause;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/**
 * Waits until nobody else migrates. Polls: a statement that waits for the lock would hold a snapshot, and an index that
 * is built concurrently waits for all snapshots.
 */
export async function lockMigrations(client: pg.Client, lock: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}) as taken`);
    if (rows[0]!.taken) return;
    await sleep(POLL_MS);
  }
}
