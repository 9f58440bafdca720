import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createMovableClock, type MovableClock } from '../clock.ts';
import { travel } from './time-travel.ts';
import { createWorker, type Worker } from './worker.ts';
import type { WorkerName } from './worker-names.ts';

const START = new Date('2026-01-31T10:00:00.000Z');
const day = (n: number): Date => new Date(START.getTime() + n * 86_400_000);

/** A worker with a queue of moments: each is processed once it has come, and may add another one to the queue. */
function diary(
  name: WorkerName,
  clock: MovableClock,
  queue: Date[],
  log: string[],
  follow?: (due: Date) => void,
): Worker {
  return createWorker({
    name,
    idleMs: 60_000,
    log: pino({ level: 'silent' }),
    nextDue: async () => queue.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
    run: async () => {
      const i = queue.findIndex((due) => due <= clock.now());
      if (i < 0) return 0;
      const [due] = queue.splice(i, 1);
      log.push(`${name} ${clock.now().toISOString().slice(0, 10)}`);
      follow?.(due!);
      return 1;
    },
  });
}

function clockAt(moment: Date): MovableClock {
  return createMovableClock(0, { now: () => moment });
}

describe('travelling in time', () => {
  test('stops at everything due on the way, over all workers, in order', async () => {
    const clock = clockAt(START);
    const log: string[] = [];
    const workers = [
      diary('flows', clock, [day(1), day(5), day(9)], log),
      diary('sender', clock, [day(3), day(0)], log),
    ];
    const stops = await travel(clock, workers, day(7), async () => {});
    expect(log).toEqual(['sender 2026-01-31', 'flows 2026-02-01', 'sender 2026-02-03', 'flows 2026-02-05']);
    expect(stops).toBe(3);
    expect(clock.now()).toEqual(day(7));
  });

  test('what something due brings about is done at its own moment, also before the target', async () => {
    const clock = clockAt(START);
    const log: string[] = [];
    const renewals = [day(1)];
    const worker = diary('renewals', clock, renewals, log, (due) =>
      renewals.push(new Date(due.getTime() + 86_400_000)),
    );
    await travel(clock, [worker], day(4), async () => {});
    expect(log).toHaveLength(4);
    expect(renewals).toEqual([day(5)]);
  });

  test('the output of one worker is processed by the next one at the same moment', async () => {
    const clock = clockAt(START);
    const log: string[] = [];
    const messages: Date[] = [];
    const sender = diary('sender', clock, messages, log);
    const flow = diary('flows', clock, [day(2)], log, () => messages.push(clock.now()));
    await travel(clock, [sender, flow], day(30), async () => {});
    expect(log).toEqual(['flows 2026-02-02', 'sender 2026-02-02']);
  });

  test('what is due but cannot be done does not hold time up', async () => {
    const clock = clockAt(START);
    const stuck = createWorker({
      name: 'outbox',
      idleMs: 60_000,
      log: pino({ level: 'silent' }),
      run: async () => 0,
      nextDue: async () => day(-1),
    });
    await travel(clock, [stuck], day(1), async () => {});
    expect(clock.now()).toEqual(day(1));
  });

  test('every step is reported, so that the next start continues from there', async () => {
    const clock = clockAt(START);
    const offsets: number[] = [];
    await travel(clock, [diary('flows', clock, [day(1)], [])], day(2), async (offset) => void offsets.push(offset));
    expect(offsets).toEqual([86_400_000, 2 * 86_400_000]);
  });

  test('the clock goes on ticking from where it was put, and never back', () => {
    let machine = START;
    const clock = createMovableClock(0, { now: () => machine });
    clock.advanceTo(day(2));
    machine = day(1);
    expect(clock.now()).toEqual(day(3));
    clock.advanceTo(day(2));
    expect(clock.now()).toEqual(day(3));
  });
});
