import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Queryable } from '../db/pool.ts';
import { createCompanyVersions } from './company-versions.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A database whose every poll returns the next of these companies, at its new version. */
function changes(...companies: number[]) {
  const held: (() => void)[] = [];
  const polls = { count: 0, hold: false, release: () => held.splice(0).forEach((go) => void go()) };
  const query = async () => {
    const company_id = companies[polls.count++] ?? null;
    if (polls.hold) await new Promise<void>((resolve) => void held.push(resolve));
    return [{ company_id, version: company_id === null ? null : polls.count, horizon: '1' }];
  };
  return { db: { query } as unknown as Queryable, polls };
}

test('a listener is notified of a change once', async () => {
  const { db } = changes(1, 2);
  const versions = createCompanyVersions(db, () => {});
  const told: (readonly number[])[] = [];
  versions.watch(async (changed) => void told.push(changed));
  for (let n = 0; n < 3; n++) await versions.refresh();
  expect(told).toEqual([[1], [2], []]);
});

test('nothing is polled after the end, not even after a poll in progress', async () => {
  const { db, polls } = changes();
  const versions = createCompanyVersions(db, () => {});
  await versions.start();
  polls.hold = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(polls.count).toBe(2);
  versions.stop();
  polls.release();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(polls.count).toBe(2);
});
