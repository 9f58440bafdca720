import { describe, expect, test } from 'vitest';
import { failed, sent } from '../send/transports/port.ts';
import { createDomainBackoffs } from './domain-backoffs.ts';

const start = new Date('2026-03-15T12:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const message = (companyId = 1, wantedAt = start) => ({ companyId, channel: 'email' as const, wantedAt });
const GREY = failed('domain', '451 4.7.1 Greylisted', { permanent: false });

function deferred(times: number, now = start, backoffs = createDomainBackoffs()) {
  for (let i = 0; i < times; i += 1) backoffs.note(message(), `p${i}@grey.example`, GREY, now);
  return backoffs;
}

describe('a domain that defers', () => {
  test('backoffs after five deferrals in a row, alone and for its company alone', () => {
    expect(deferred(4).until(message(), 'a@grey.example', start)).toBeNull();
    const backoffs = deferred(5);
    expect(backoffs.until(message(), 'a@GREY.example', start)).toEqual(later(60_000));
    expect(backoffs.until(message(), 'a@other.example', start)).toBeNull();
    expect(backoffs.until(message(2), 'a@grey.example', start)).toBeNull();
    expect([backoffs.any(1, start), backoffs.any(2, start), backoffs.any(1, later(60_000))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is tried again, and backoffs longer each time, up to a quarter of an hour', () => {
    const backoffs = createDomainBackoffs();
    let now = start;
    const pauses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      expect(backoffs.until(message(), 'a@grey.example', now)).toBeNull();
      deferred(30, now, backoffs);
      const until = backoffs.until(message(), 'a@grey.example', now)!;
      pauses.push((until.getTime() - now.getTime()) / 60_000);
      now = until;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 15, 15]);
  });

  test('does not rest until a moment that a clock named which was ahead', () => {
    const backoffs = deferred(5, later(8 * 24 * 3_600_000));
    expect(backoffs.until(message(), 'a@grey.example', start)).toBeNull();
    deferred(5, start, backoffs);
    expect(backoffs.until(message(), 'a@grey.example', start)).not.toBeNull();
  });

  test('is well again as soon as it takes one', () => {
    const backoffs = deferred(5);
    backoffs.note(message(), 'a@grey.example', sent('250 ok'), start);
    expect(backoffs.until(message(), 'a@grey.example', start)).toBeNull();
    deferred(4, start, backoffs);
    expect(backoffs.until(message(), 'a@grey.example', start)).toBeNull();
  });

  test('holds nobody up for ever: after three days a message is tried whatever became of others', () => {
    const backoffs = deferred(5, later(4 * 86_400_000));
    expect(backoffs.until(message(), 'a@grey.example', later(4 * 86_400_000))).toBeNull();
    expect(backoffs.until(message(1, later(2 * 86_400_000)), 'a@grey.example', later(4 * 86_400_000))).not.toBeNull();
  });

  test('is forgotten where too many are known', () => {
    const backoffs = deferred(5);
    for (let i = 0; i < 10_000; i += 1) backoffs.note(message(), `a@d${i}.example`, GREY, start);
    expect(backoffs.until(message(), 'a@grey.example', start)).toBeNull();
  });
});
