import { expect, test } from 'vitest';
import { growthByDay } from './growth.ts';

const row = (date: string, net: number, subscribed = 0, unsubscribed = 0) => {
  return { date, subscribed, unsubscribed, net };
};

test('what is active at the end of a day is what is active now, less the changes since', () => {
  const days = [row('2026-03-13', 2, 3, 1), row('2026-03-15', -1, 0, 0), row('2026-03-17', 4, 4)];
  const asked = { from: '2026-03-12', to: '2026-03-15', today: '2026-03-17' };
  expect(growthByDay({ active: 10, days }, asked)).toEqual([
    { date: '2026-03-12', subscribed: 0, unsubscribed: 0, active: 5 },
    { date: '2026-03-13', subscribed: 3, unsubscribed: 1, active: 7 },
    { date: '2026-03-14', subscribed: 0, unsubscribed: 0, active: 7 },
    { date: '2026-03-15', subscribed: 0, unsubscribed: 0, active: 6 },
  ]);
});

test('changes that a clock dated after today count as of today', () => {
  const days = [row('2026-03-14', 1, 1), row('2026-03-20', -2)];
  const asked = { from: '2026-03-13', to: '2026-03-15', today: '2026-03-15' };
  expect(growthByDay({ active: 4, days }, asked).map(({ active }) => active)).toEqual([5, 6, 4]);
});
