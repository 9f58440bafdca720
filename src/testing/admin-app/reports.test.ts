import { expect, test } from 'vitest';
import { growthBy } from '../../../admin/src/pages/reports/growth.ts';

const days = [
  { date: '2026-02-28', subscribed: 1, unsubscribed: 0, active: 5 },
  { date: '2026-03-01', subscribed: 2, unsubscribed: 1, active: 6 },
  { date: '2026-03-02', subscribed: 4, unsubscribed: 0, active: 10 },
];

test('growth by week or month adds up its days, and has what was active at the end of the last one', () => {
  expect(growthBy('day', days).map(({ start }) => start)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02']);
  expect(growthBy('week', days)).toEqual([
    { start: '2026-02-23', subscribed: 3, unsubscribed: 1, active: 6 },
    { start: '2026-03-02', subscribed: 4, unsubscribed: 0, active: 10 },
  ]);
  expect(growthBy('month', days)).toEqual([
    { start: '2026-02-01', subscribed: 1, unsubscribed: 0, active: 5 },
    { start: '2026-03-01', subscribed: 6, unsubscribed: 1, active: 10 },
  ]);
});
