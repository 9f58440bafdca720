import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';

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
