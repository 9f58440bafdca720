import { describe, expect, test } from 'vitest';
import { createBreaker, createDomainBackoffs } from './backoffs.ts';
import { type DeliveryResult, failed, sent } from './transports/port.ts';

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

  test('is available again as soon as it accepts a message', () => {
    const backoffs = deferred(5);
    backoffs.note(message(), 'a@grey.example', sent('250 ok'), start);
    expect(backoffs.until(message(), 'a@grey.example', start)).toBeNull();
    deferred(4, start, backoffs);
    expect(backoffs.until(message(), 'a@grey.example', start)).toBeNull();
  });

  test('does not hold messages for ever: after three days one is tried whatever became of others', () => {
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

const DOWN = failed('service', 'no connection', { permanent: false });
const to = (domain: string, result: DeliveryResult) => [{ to: `a@${domain}`, result }];

describe('a transport is put off', () => {
  test('after five failures of the service in a row', () => {
    const health = createBreaker();
    for (let i = 0; i < 4; i += 1) health.note(to('a.example', DOWN));
    health.note(to('a.example', sent('250')));
    for (let i = 0; i < 4; i += 1) health.note(to('a.example', DOWN));
    expect(health.isOpen()).toBe(true);
    health.note(to('a.example', DOWN));
    expect(health.isOpen()).toBe(false);
  });

  test('not for a few domains, however often they defer', () => {
    const health = createBreaker();
    for (let i = 0; i < 1_000; i += 1) health.note(to(`d${i % 19}.example`, GREY));
    expect(health.isOpen()).toBe(true);
  });

  test('if many domains in a row accept nothing: the server itself is deferred', () => {
    const health = createBreaker();
    for (let i = 0; i < 24; i += 1) health.note(to(`d${i}.example`, GREY));
    expect(health.isOpen()).toBe(false);
    const mixed = createBreaker();
    for (let i = 0; i < 100; i += 1) {
      mixed.note(to(`d${i}.example`, GREY));
      if (i % 15 === 0) mixed.note(to('well.example', sent('250')));
    }
    expect(mixed.isOpen()).toBe(true);
  });
});
