import { expect, test } from 'vitest';
import type { RevenueRow } from './queries.ts';
import { revenueReport } from './revenue.ts';

const row = (id: number | null, start: string, revenue: number, refunded = 0): RevenueRow => {
  return { id, name: id === null ? null : `Flow ${id}`, start, orders: 1, revenue, refunded };
};

test('adds up intervals and sources, the one with the most net revenue first and all others last', () => {
  const rows = [
    row(1, '2026-03-02', 10_000, 9_000),
    row(2, '2026-03-02', 2_000),
    row(null, '2026-03-02', 50_000),
    row(2, '2026-03-09', 500, 700),
  ];
  const report = revenueReport(rows, { from: '2026-03-04', to: '2026-03-16', interval: 'week' }, 2);
  expect(report.total).toEqual({ orders: 4, revenue: 625, refunded: 97, net: 528 });
  expect(report.intervals).toEqual([
    { start: '2026-03-02', orders: 3, revenue: 620, refunded: 90, net: 530 },
    { start: '2026-03-09', orders: 1, revenue: 5, refunded: 7, net: -2 },
    { start: '2026-03-16', orders: 0, revenue: 0, refunded: 0, net: 0 },
  ]);
  expect(report.sources.map(({ id, name, net }) => [id, name, net])).toEqual([
    [2, 'Flow 2', 18],
    [1, 'Flow 1', 10],
    [null, null, 500],
  ]);
  expect(report.sources[0]!.intervals.map(({ start, net }) => [start, net])).toEqual([
    ['2026-03-02', 20],
    ['2026-03-09', -2],
  ]);
});

test('a day is an interval of its own, and a week that begins on a Sunday has begun on the Monday before', () => {
  const starts = (from: string, to: string, interval: 'day' | 'week') =>
    revenueReport([], { from, to, interval }, 2).intervals.map(({ start }) => start);
  expect(starts('2026-02-28', '2026-03-01', 'day')).toEqual(['2026-02-28', '2026-03-01']);
  expect(starts('2026-03-01', '2026-03-02', 'week')).toEqual(['2026-02-23', '2026-03-02']);
});
