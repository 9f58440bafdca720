import { expect, test } from 'vitest';
import { horizonOf, periodsOf } from './horizon.ts';

test.each([
  ['messages', { messages_months: 4 }, '2026-10-15T08:00:00Z', '2026-06-15T08:00:00Z'],
  ['messages', { messages_months: 4 }, '2026-10-31T08:00:00Z', '2026-06-30T08:00:00Z'],
  ['messages', { messages_months: 8 }, '2026-10-31T08:00:00Z', '2026-02-28T08:00:00Z'],
  ['events', { events_months: 4 }, '2026-10-15T08:00:00Z', '2026-06-01T00:00:00Z'],
  ['mailbox', { mailbox_days: 7 }, '2026-03-03T08:00:00Z', '2026-02-24T08:00:00Z'],
] as const)('%s, kept for %o, are removed at %s before %s', (kind, stored, now, before) => {
  expect(horizonOf(kind, periodsOf(stored), new Date(now))).toEqual(new Date(before));
});
