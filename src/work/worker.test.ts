import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { PartlyFailed } from './sets.ts';
import { createWorker, type Worker, type WorkerOptions } from './worker.ts';

const started: Worker[] = [];

function workerOf(options: Partial<WorkerOptions>): Worker {
  const worker = createWorker({
    name: 'chores',
    run: async () => 0,
    idleMs: 60_000,
    log: pino({ level: 'silent' }),
    ...options,
  });
  started.push(worker);
  return worker;
}

afterEach(async () => {
  for (const worker of started.splice(0)) await worker.stop();
});

describe('a worker', () => {
  test('asks again at once while there is work, and rests when there is none', async () => {
    let due = 3;
    let turns = 0;
    const worker = workerOf({
      run: async () => {
        turns++;
        return due > 0 ? due-- : 0;
      },
    });
    worker.start();
    await sleep(20);
    expect({ due, turns }).toEqual({ due: 0, turns: 4 });
  });

  test('a wake during a turn is not lost: the next turn follows at once', async () => {
    let turns = 0;
    const worker = workerOf({
      run: async () => {
        if (++turns === 1) worker.wake();
        return 0;
      },
    });
    worker.start();
    await sleep(20);
    expect(turns).toBe(2);
  });

  describe('that rests until something is written', () => {
    let mark = 0;
    const listeners: (() => void)[] = [];
    const write = (): void => {
      mark++;
      for (const listener of listeners) listener();
    };
    const idling = {
      writes: { mark: () => `${mark}`, watch: (listener: () => void) => void listeners.push(listener) },
      clock: systemClock,
    };

    test('takes no turn before that', async () => {
      let turns = 0;
      const worker = workerOf({ idleMs: 1, mostIdleMs: 60_000, run: async () => ++turns && 0 });
      worker.start(idling);
      await vi.waitFor(() => expect(turns).toBe(1));
      await sleep(50);
      expect(turns).toBe(1);
      write();
      await vi.waitFor(() => expect(turns).toBe(2));
    });

    test('takes another after a write during its turn', async () => {
      let turns = 0;
      const worker = workerOf({
        idleMs: 1,
        mostIdleMs: 60_000,
        run: async () => {
          if (++turns === 1) write();
          return 0;
        },
      });
      worker.start(idling);
      await vi.waitFor(() => expect(turns).toBe(2));
    });

    test('takes one when the next item is due, and otherwise after the longest rest', async () => {
      const turns = { due: 0, rested: 0 };
      const nextDue = async () => new Date(Date.now() + 30);
      workerOf({ idleMs: 1, mostIdleMs: 60_000, nextDue, run: async () => ++turns.due && 0 }).start(idling);
      workerOf({ idleMs: 1, mostIdleMs: 30, run: async () => ++turns.rested && 0 }).start(idling);
      await vi.waitFor(() => expect(Math.min(turns.due, turns.rested)).toBeGreaterThan(2));
    });

    test('takes one soon after an item came due during the rest', async () => {
      let turns = 0;
      const due = new Date(Date.now() + 20);
      const nextDue = async (after: Date) => (due > after ? due : null);
      workerOf({ idleMs: 60, mostIdleMs: 60_000, nextDue, run: async () => ++turns && 0 }).start(idling);
      await vi.waitFor(() => expect(turns).toBe(2));
    });

    test('takes one when woken', async () => {
      let turns = 0;
      const worker = workerOf({ idleMs: 1, mostIdleMs: 60_000, run: async () => ++turns && 0 });
      worker.start(idling);
      await sleep(30);
      worker.wake();
      await vi.waitFor(() => expect(turns).toBe(2));
    });
  });

  test('a turn that failed for some does not make the others wait longer and longer', async () => {
    let turns = 0;
    const worker = workerOf({
      idleMs: 20,
      run: async () => {
        turns++;
        throw new PartlyFailed(new Error('one of them'));
      },
    });
    worker.start();
    // Doubling the delay each time would take ten seconds.
    await vi.waitFor(() => expect(turns).toBeGreaterThanOrEqual(9), { timeout: 30_000 });
  });

  test('what comes in drops is gathered, woken or not; a full turn is followed at once; an end does not wait', async () => {
    const turns: number[] = [];
    const worker: Worker = workerOf({
      gather: { ms: 10_000, below: 5 },
      run: async () => {
        worker.wake();
        const done = turns.length < 2 ? 5 : 1;
        turns.push(done);
        return done;
      },
    });
    worker.start();
    await sleep(20);
    expect(turns).toEqual([5, 5, 1]);
    await worker.stop();
  });

  test('a failing turn is retried after a while, and does not end the worker', async () => {
    let turns = 0;
    const worker = workerOf({
      idleMs: 1,
      run: async () => {
        if (++turns < 3) throw new Error('the database is away');
        return 0;
      },
    });
    worker.start();
    await sleep(50);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test('stop waits for the turn in progress and tells it to end', async () => {
    let finished = false;
    const worker = workerOf({
      run: async (signal) => {
        await sleep(30);
        finished = signal.aborted;
        return 0;
      },
    });
    worker.start();
    await sleep(5);
    await worker.stop();
    expect(finished).toBe(true);
  });

  test('never has two turns at once, whoever asks', async () => {
    let running = 0;
    let most = 0;
    const worker = workerOf({
      idleMs: 1,
      run: async () => {
        most = Math.max(most, ++running);
        await sleep(2);
        running--;
        return 0;
      },
    });
    worker.start();
    await Promise.all([worker.runOnce(), worker.runOnce(), worker.runOnce()]);
    expect(most).toBe(1);
  });

  test('pause holds the loop, lets runOnce work, and resume looks at once', async () => {
    let turns = 0;
    const worker = workerOf({ idleMs: 1, run: async () => ++turns && 0 });
    worker.start();
    await sleep(10);
    await worker.pause();
    const before = turns;
    worker.wake();
    await sleep(10);
    expect(turns).toBe(before);
    await worker.runOnce();
    expect(turns).toBe(before + 1);
    worker.resume();
    await sleep(10);
    expect(turns).toBeGreaterThan(before + 1);
  });

  test('can be stopped while it is paused', async () => {
    const worker = workerOf({});
    worker.start();
    await worker.pause();
    await worker.stop();
  });
});
