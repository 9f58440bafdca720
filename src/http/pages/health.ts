import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { monotonicMs } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/pool.ts';
import { requireWritable } from '../../db/writable.ts';
import { mayRead } from './may-read.ts';

/** Each process is queried for its health every few seconds. */
const DETAILS_KEPT_MS = 10_000;

/** A load balancer that gets no response for longer decides by itself. */
const LIMIT_MS = 1_000;

export interface HealthPort {
  config: Pick<Config, 'metricsToken'>;
  db: Db;
  log: Logger;
  /** Returns what operators should see to, such as held messages, one line each; called every few seconds. */
  findDetails(): Promise<readonly object[]>;
}

/**
 * Health checks for load balancers. The process is alive if it responds, and ready if its database accepts writes and it is not shutting
 * down.
 */
export function healthPages(server: FastifyInstance, { config, db, log, findDetails }: HealthPort): void {
  let stopping = false;
  server.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  server.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/health/ready', async (request, reply) => {
    const [ready, shown] = stopping
      ? [false, []]
      : await Promise.all([inTime(writable(), false), inTime(details(), found.details)]);
    if (!ready) return reply.code(503).send({ status: 'unavailable' });
    // What waits for people is no reason to take this process out of rotation.
    const isShown = shown.length > 0 && mayRead(request, config.metricsToken);
    return reply.send(isShown ? { status: 'ok', details: shown } : { status: 'ok' });
  });

  const writable = shared(async () => {
    try {
      await requireWritable(db);
      return true;
    } catch (error) {
      log.warn({ err: error }, 'the database takes no writes');
      return false;
    }
  });

  let found: { details: readonly object[]; until: number } = { details: [], until: 0 };
  const find = shared(async () => {
    try {
      found = { details: await findDetails(), until: monotonicMs() + DETAILS_KEPT_MS };
    } catch (error) {
      log.warn({ err: error }, 'the details of the health could not be found');
    }
    return found.details;
  });
  const details = async (): Promise<readonly object[]> => (monotonicMs() < found.until ? found.details : find());
}

/** Concurrent callers share one query. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let looking: Promise<T> | undefined;
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

async function inTime<T>(look: Promise<T>, late: T): Promise<T> {
  const limit = new AbortController();
  const lateness = sleep(LIMIT_MS, late, { signal: limit.signal }).catch(() => late);
  const first = await Promise.race([look, lateness]);
  limit.abort();
  return first;
}
