import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { requireWritable } from '../../db/writable.ts';

/** Health is asked about every few seconds, of each process. */
const HELD_KEPT_MS = 10_000;

/** A load balancer that hears nothing for longer decides by itself. */
const LIMIT_MS = 1_000;

export interface HealthPort {
  db: Db;
  log: Logger;
  /** What keeps messages from leaving, in a line each; asked for every few seconds. */
  heldMessages(): Promise<readonly object[]>;
}

/**
 * For load balancers: alive is the process; ready is the process with a database that takes writes, until it is told to
 * stop.
 */
export function healthPages(server: FastifyInstance, { db, log, heldMessages }: HealthPort): void {
  let stopping = false;
  /** One look at the database serves all who ask meanwhile. */
  let looking: Promise<boolean> | undefined;
  server.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  server.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/health/ready', async (_request, reply) => {
    const ready = !stopping && (await isReady());
    if (!ready) return reply.code(503).send({ status: 'unavailable' });
    // Held messages are no reason to take this process out of service.
    const details = await heldDetails();
    return reply.send({ status: 'ok', ...(details.length > 0 ? { details } : {}) });
  });

  let held: { details: readonly object[]; until: number } = { details: [], until: 0 };

  async function heldDetails(): Promise<readonly object[]> {
    if (monotonicMs() < held.until) return held.details;
    try {
      held = { details: await heldMessages(), until: monotonicMs() + HELD_KEPT_MS };
    } catch (error) {
      log.warn({ err: error }, 'messages that are held could not be counted');
    }
    return held.details;
  }

  async function isReady(): Promise<boolean> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    const limit = new AbortController();
    const late = sleep(LIMIT_MS, false, { signal: limit.signal }).catch(() => false);
    const ready = await Promise.race([looking, late]);
    limit.abort();
    return ready;
  }

  async function look(): Promise<boolean> {
    try {
      await requireWritable(db);
      return true;
    } catch (error) {
      log.warn({ err: error }, 'the database takes no writes');
      return false;
    }
  }
}
