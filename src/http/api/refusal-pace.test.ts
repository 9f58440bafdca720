import { expect, test } from 'vitest';
import { RefusalPace } from './refusal-pace.ts';

test('a hundred refusals leave at once, more at 500 a second, none later than after 2 s', () => {
  const pace = new RefusalPace();
  const delays = Array.from({ length: 2_000 }, () => pace.delay(1, 10_000));
  expect(delays.slice(0, 100).every((ms) => ms === 0)).toBe(true);
  expect(delays[100]).toBe(2);
  expect(delays[600]).toBe(1_002);
  expect(Math.max(...delays)).toBe(2_000);
});

test('other senders are not delayed, nor is the same one after a while', () => {
  const pace = new RefusalPace();
  for (let n = 0; n < 2_000; n++) pace.delay(1, 10_000);
  expect(pace.delay(2, 10_000)).toBe(0);
  expect(pace.delay('192.0.2.1', 10_000)).toBe(0);
  expect(pace.delay(1, 11_000)).toBeGreaterThan(900);
  expect(pace.delay(1, 13_000)).toBe(0);
});

test('as many leave at once and in a second as it is told', () => {
  const pace = new RefusalPace(4, 8);
  const delays = Array.from({ length: 30 }, () => pace.delay(1, 10_000));
  expect(delays.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 0));
  expect(delays.slice(8, 11)).toEqual([250, 500, 750]);
  expect(delays.at(-1)).toBe(2_000);
});
