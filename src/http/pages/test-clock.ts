import type { FastifyInstance } from 'fastify';
import type { MovableClock } from '../../clock.ts';
import { parseDuration } from '../../duration.ts';
import { AppError, invalidField } from '../../errors.ts';
import { travel } from '../../work/time-travel.ts';
import type { Worker } from '../../work/worker.ts';
import { parseBody } from '../api/body.ts';

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;
const MAX_ADVANCE_MS = 3_660 * 86_400_000;

export interface TestClockPort {
  /** null if the clock cannot be moved: then this page does not exist. */
  testClock: MovableClock | null;
  workers: Worker[];
  /** Stores the clock's offset in milliseconds for the next start. */
  saveClockOffset(offset: number): Promise<void>;
}

/**
 * POST /admin/api/test-clock {"advance": "3 days"}, only with --test-clock and from this machine: everything due until then happens, in due
 * order, before the response {now, stops}.
 */
export function testClockPage(
  server: FastifyInstance,
  { testClock: clock, workers, saveClockOffset }: TestClockPort,
): void {
  if (clock === null) return;
  /** One advance at a time: a second one starts where the first ended. */
  let journey: Promise<unknown> = Promise.resolve();
  server.post('/admin/api/test-clock', async (request) => {
    // A page of another site cannot send JSON here without a preflight, which no response of ours allows.
    const far = !LOOPBACK.test(request.socket.remoteAddress ?? '') || request.headers['x-forwarded-for'] !== undefined;
    if (far || request.headers['content-type'] === undefined) throw new AppError('not_found', 'Not found');
    const { advance } = parseBody(request.body as Buffer);
    const ms = typeof advance === 'string' ? parseDuration(advance) : null;
    if (ms === null || ms > MAX_ADVANCE_MS) {
      throw invalidField('advance', 'advance must be a duration of at most ten years, such as 3 days');
    }
    const next = journey.then(() => {
      const target = new Date(clock.now().getTime() + ms);
      return travel(clock, workers, target, saveClockOffset);
    });
    journey = next.catch(() => {});
    const stops = await next;
    return { now: clock.now().toISOString(), stops };
  });
}
