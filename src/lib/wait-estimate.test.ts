import { expect, it } from 'vitest';
import { WaitEstimate } from './wait-estimate.ts';

/** Simulates taking one job each `every` ms from 0 to `until`, while many wait. */
function taking(every: number, until: number, count = 1): WaitEstimate {
  const estimate = new WaitEstimate();
  estimate.waits(1, 0);
  for (let at = every; at <= until; at += every) estimate.took(1, count, 1_000, at);
  return estimate;
}

it('is the jobs ahead by the rate at which jobs are taken', () => {
  for (const until of [600, 1_500, 7_300, 60_000]) {
    expect(taking(10, until).waitOf(1, 99, until)).toBeGreaterThan(900);
    expect(taking(10, until).waitOf(1, 99, until)).toBeLessThan(1_100);
  }
  const inBatches = taking(400, 8_000, 40).waitOf(1, 99, 8_000);
  expect(inBatches).toBeGreaterThan(800);
  expect(inBatches).toBeLessThan(1_200);
});

it('takes no short pause for the end', () => {
  expect(taking(5, 3_000).waitOf(1, 199, 3_100)).toBeLessThan(1_300);
});

it('follows when it becomes slow, and when nothing is taken at all', () => {
  const estimate = taking(10, 5_000);
  expect(estimate.waitOf(1, 0, 6_500)).toBeLessThan(2_000);
  expect(estimate.waitOf(1, 9, 9_000)).toBeGreaterThan(9_000);
  const stuck = new WaitEstimate();
  stuck.waits(1, 0);
  expect(stuck.waitOf(1, 9, 600)).toBeGreaterThan(5_000);
});

it('refuses nothing before it has measured, and forgets an owner without waiting entries', () => {
  const estimate = new WaitEstimate();
  expect(estimate.waitOf(1, 5_000, 0)).toBe(0);
  estimate.waits(1, 0);
  expect(estimate.waitOf(1, 5_000, 400)).toBe(0);
  expect(estimate.waitOf(2, 5_000, 4_000)).toBe(0);
  estimate.took(1, 1, 0, 5_000);
  expect(estimate.waitOf(1, 5_000, 5_000)).toBe(0);
});
