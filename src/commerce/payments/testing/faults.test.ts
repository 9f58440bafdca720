import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../testing/test-clock.ts';
import { CALL_FAULTS, createFaults, createIdempotencyTable, WEBHOOK_FAULTS } from './faults.ts';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('faults of a double', () => {
  it('do not happen unless they are asked for, one by one and in order', () => {
    const faults = createFaults();
    faults.failNext('time_out_after');
    faults.failNext('conflict_409', 2);
    faults.failNext('lost');
    expect(times(4, faults.ofCall)).toEqual(['time_out_after', 'conflict_409', 'conflict_409', null]);
    expect(times(2, faults.ofWebhook)).toEqual(['lost', null]);
    expect(faults.happened).toMatchObject({ time_out_after: 1, conflict_409: 2, lost: 1, forged: 0 });
  });

  it('all happen by chance from a seed, which repeats them', () => {
    const [first, second] = [createFaults({ seed: 5 }), createFaults({ seed: 5 })];
    const drawn = times(1_000, first.ofCall);
    // Webhooks in between change nothing.
    const again = times(1_000, () => {
      second.ofWebhook();
      return second.ofCall();
    });
    expect(again).toEqual(drawn);
    expect(new Set(drawn)).toEqual(new Set([null, ...CALL_FAULTS]));
    expect(new Set(times(1_000, first.ofWebhook))).toEqual(new Set([null, ...WEBHOOK_FAULTS]));
    expect(times(1_000, createFaults({ seed: 6 }).ofCall)).not.toEqual(drawn);
  });

  it('have the probabilities that are asked for, and end', () => {
    const chances = Object.fromEntries(CALL_FAULTS.map((fault) => [fault, fault === 'error_500' ? 1 : 0]));
    const faults = createFaults({ seed: 5, chances });
    expect(new Set(times(100, faults.ofCall))).toEqual(new Set(['error_500']));
    faults.failNext('cut_body');
    faults.stop();
    expect(times(10, faults.ofCall)).toEqual(times(10, () => null));
    faults.failNext('cut_body');
    expect(faults.ofCall()).toBe('cut_body');
  });
});

describe('an idempotency table', () => {
  it('remembers responses by key and call for its lifetime', () => {
    const clock = createTestClock();
    const table = createIdempotencyTable<string>(clock, 1_000);
    expect(table.look('a', 'POST /x')).toEqual({ kind: 'new' });
    table.remember('a', 'POST /x', 'made');
    clock.advance(999);
    expect(table.look('a', 'POST /x')).toEqual({ kind: 'replayed', response: 'made' });
    expect(table.look('a', 'POST /y')).toEqual({ kind: 'changed' });
    expect(table.look('b', 'POST /x')).toEqual({ kind: 'new' });
    clock.advance(1);
    expect(table.look('a', 'POST /y')).toEqual({ kind: 'new' });
  });
});
