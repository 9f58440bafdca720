import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { Overloaded } from '../../errors.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { LargeBodies } from './large-bodies.ts';

const MIB = 2 ** 20;

describe('large bodies', () => {
  it('are worked on one after the other, those of other companies beside them', async () => {
    const bodies = new LargeBodies();
    const began: string[] = [];
    const take = async (company: number, name: string, bytes = MIB) => {
      const leave = await bodies.take(company, bytes)!;
      began.push(name);
      return leave;
    };
    const first = await take(1, 'a1');
    const second = take(1, 'a2');
    const third = take(1, 'a3');
    const other = await take(2, 'b1');
    const waiting = take(2, 'b2');
    expect(began).toEqual(['a1', 'b1']);
    expect(bodies.take(1, 1_000)).toBeNull();
    other();
    other();
    await (await waiting)();
    expect(began).toEqual(['a1', 'b1', 'b2']);
    first();
    (await second)();
    (await third)();
    expect(began).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
  });

  it('leave the event loop to others for five times as long as they kept it busy, where there are others', async () => {
    const bodies = new LargeBodies();
    const work = async (company: number) => {
      const leave = await bodies.take(company, MIB)!;
      const until = monotonicMs() + 20;
      while (monotonicMs() < until);
      // The loop counts what it has done on its next turn.
      await sleep(1);
      leave();
    };
    const took = async () => {
      const began = monotonicMs();
      await Promise.all([1, 1, 1, 1].map(work));
      return monotonicMs() - began;
    };
    bodies.note(1);
    const alone = await took();
    bodies.note(2);
    bodies.note(1);
    const beside = await took();
    // Three rests of 100 ms each; on a busy machine the whole takes longer.
    expect(beside - alone).toBeGreaterThan(200);
    expect(alone).toBeLessThan(beside);
  });

  it('take turns between companies', async () => {
    const bodies = new LargeBodies(MIB);
    const began: number[] = [];
    const work = async (company: number) => {
      const leave = await bodies.take(company, MIB)!;
      began.push(company);
      await sleep(5);
      leave();
    };
    await Promise.all([1, 1, 1, 1, 2, 3].map(work));
    expect(began.slice(0, 4).toSorted()).toEqual([1, 1, 2, 3]);
  });

  it('of a few 100 KiB share the place of a long one', async () => {
    const bodies = new LargeBodies();
    const leaves = await Promise.all(Array.from({ length: 8 }, () => bodies.take(1, 128 * 1024)!));
    expect(leaves).toHaveLength(8);
  });

  it('are refused when they have waited for 2 s, and at once when they would', async () => {
    const bodies = new LargeBodies();
    const leave = await bodies.take(1, MIB)!;
    const began = monotonicMs();
    const late = bodies.take(1, MIB)!.catch((error: unknown) => error);
    await sleep(600);
    const more = Array.from({ length: 4 }, async () => {
      const end = await bodies.take(1, MIB)!;
      end();
    }).map((one) => one.catch((error: unknown) => error));
    expect(await Promise.all(more.slice(-1))).toMatchObject([expect.any(Overloaded)]);
    expect(monotonicMs() - began).toBeLessThan(1_500);
    expect(await late).toBeInstanceOf(Overloaded);
    expect(monotonicMs() - began).toBeGreaterThan(1_900);
    leave();
    await Promise.all(more);
    (await bodies.take(1, MIB)!)();
  });
});

describe('large bodies that are on their way', () => {
  it('are refused before they are read where those before them fill the time; those of others are not', async () => {
    const bodies = new LargeBodies();
    const leave = await bodies.take(1, MIB)!;
    const late = bodies.take(1, MIB)!.catch((error: unknown) => error);
    await sleep(600);
    const arrived = Array.from({ length: 2 }, () => bodies.announce(1, MIB));
    expect(() => bodies.announce(1, MIB)).toThrow(Overloaded);
    expect(bodies.announce(1, 60_000)).toBeNull();
    expect(bodies.announce(2, MIB)).not.toBeNull();
    for (const one of [...arrived, ...arrived]) one!();
    expect(bodies.announce(1, MIB)).not.toBeNull();
    leave();
    await late;
  });
});

describe('requests with large bodies', () => {
  const server = testServer({ impatient: true });
  let shop: TestCompany;
  let locker: pg.Client;

  beforeAll(async () => {
    shop = await server.company();
    locker = new pg.Client(server.connection);
    await locker.connect();
  });
  afterAll(() => locker.end());

  it('reach the database one at a time, the small ones beside them', async () => {
    const batch = (n: number) => ({
      contacts: Array.from({ length: 400 }, (_, i) => ({
        email: `large-${n}-${i}@example.com`,
        properties: { note: 'x'.repeat(2_000) },
      })),
    });
    await locker.query('begin; lock table contacts in access exclusive mode');
    const large = Array.from({ length: 4 }, (_, n) => shop.marketing('POST', '/contacts/batch', batch(n)));
    await expect.poll(() => server.lockWaits()).toBe(1);
    const small = Array.from({ length: 2 }, (_, i) =>
      shop.marketing('POST', '/contacts', { email: `small-${i}@example.com` }),
    );
    await expect.poll(() => server.lockWaits()).toBeGreaterThan(1);
    await sleep(300);
    expect(await server.lockWaits()).toBeLessThanOrEqual(3);
    await locker.query('rollback');
    const [first, ...others] = (await Promise.all(large)).map(({ status }) => status).toSorted();
    expect(first).toBe(200);
    // On a busy machine they may have waited too long.
    for (const status of others) expect([200, 429]).toContain(status);
    for (const { status } of await Promise.all(small)) expect(status).toBe(201);
  });
});
