import { describe, expect, test } from 'vitest';
import { createBreaker } from './transport-health.ts';
import { type DeliveryResult, failed, sent } from './transports/port.ts';

const DOWN = failed('service', 'no connection', { permanent: false });
const GREY = failed('domain', '451 4.7.1 Greylisted', { permanent: false });
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

  test('where many domains in a row take nothing: it is the server that is deferred', () => {
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
