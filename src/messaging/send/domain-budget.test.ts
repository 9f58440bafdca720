import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DomainBudget, leaseFrom } from './domain-limits.ts';

const NEW: DomainBudget = { freeAt: 0, putOffTo: 0 };
const NOW = Date.UTC(2026, 2, 2, 10);
const HOUR = 3_600_000;

describe('the budget of a domain', () => {
  test('gives a minute’s worth at once, then one for each share of the hour', () => {
    const first = leaseFrom(NEW, 100, 600, NOW);
    expect(first.granted).toBe(10);
    expect(leaseFrom(first.budget, 1, 600, NOW).granted).toBe(0);
    expect(leaseFrom(first.budget, 100, 600, NOW + 6_000).granted).toBe(1);
    expect(leaseFrom(first.budget, 100, 600, NOW + 10 * HOUR).granted).toBe(10);
  });

  test('gives one message where the limit is less than one a minute', () => {
    const first = leaseFrom(NEW, 5, 4, NOW);
    expect(first.granted).toBe(1);
    expect(leaseFrom(first.budget, 5, 4, NOW + 14 * 60_000).granted).toBe(0);
    expect(leaseFrom(first.budget, 5, 4, NOW + 15 * 60_000).granted).toBe(1);
  });

  test('spreads the others over the time in which they may go, an hour at most', () => {
    const { putOff, budget } = leaseFrom(NEW, 13, 600, NOW);
    expect(putOff.map((at) => at - NOW)).toEqual([6_000, 12_000, 18_000]);
    expect(leaseFrom(budget, 1, 600, NOW).putOff).toEqual([NOW + 24_000]);
    const many = leaseFrom(NEW, 5_000, 600, NOW).putOff;
    expect(Math.max(...many)).toBeLessThanOrEqual(NOW + HOUR);
    expect(Math.min(...many)).toBeGreaterThan(NOW);
  });

  test('that a fast clock wrote delays no message', () => {
    const ahead = leaseFrom(NEW, 1_000, 600, NOW + 24 * HOUR).budget;
    const { granted, putOff } = leaseFrom(ahead, 3, 600, NOW);
    expect([granted, putOff[0]]).toEqual([0, NOW + 6_000]);
    expect(leaseFrom(leaseFrom(ahead, 3, 600, NOW).budget, 1, 600, NOW + 6_000).granted).toBe(1);
  });

  test('never gives more in an hour than the limit and a minute’s worth, whoever asks when', () => {
    const asks = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 60_000 }), wanted: fc.integer({ min: 1, max: 500 }) }),
      {
        minLength: 1,
        maxLength: 100,
      },
    );
    fc.assert(
      fc.property(asks, fc.integer({ min: 1, max: 20_000 }), (given, perHour) => {
        let [budget, now] = [NEW, NOW];
        const grants: [at: number, n: number][] = [];
        for (const { wait, wanted } of given) {
          now += wait;
          const lease = leaseFrom(budget, wanted, perHour, now);
          expect(lease.granted + lease.putOff.length).toBe(wanted);
          grants.push([now, lease.granted]);
          budget = lease.budget;
        }
        for (const [start] of grants) {
          const inHour = grants.filter(([at]) => at >= start && at < start + HOUR).reduce((sum, [, n]) => sum + n, 0);
          expect(inHour).toBeLessThanOrEqual(perHour + Math.max(1, perHour / 60) + 1);
        }
      }),
    );
  });
});
