import { afterEach, describe, expect, it } from 'vitest';
import { issueSignIn, signIn } from '../../access/sessions.ts';
import { leaseSendingTime } from '../../messaging/send/send-rate.ts';
import { anotherApp } from '../../testing/another-app.ts';
import { testServer } from '../../testing/harness.ts';

const server = testServer({ impatient: true });
const START = '2026-03-15T12:00:00.000Z';
const DAYS_MS = 8 * 24 * 3_600_000;
const opened: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const app of opened.splice(0)) await app.stop();
});

/** Runs `work` while the clock is eight days ahead. */
async function ahead<T>(work: () => Promise<T>): Promise<T> {
  server.clock.set(new Date(new Date(START).getTime() + DAYS_MS));
  try {
    return await work();
  } finally {
    server.clock.set(START);
  }
}

describe('once a clock that was eight days ahead is right again', () => {
  it('a key has its requests, in this process, in others and after a restart', async () => {
    const shop = await server.company({ requestsPerHour: 2 });
    const read = async (origin = server.origin) => {
      const response = await fetch(`${origin}/commerce/v1/products`, { headers: { 'x-api-key': shop.key } });
      const reset = Number(response.headers.get('x-ratelimit-reset'));
      return [response.status, reset - server.clock.now().getTime() / 1000];
    };
    await ahead(async () => {
      for (const status of [200, 200, 429]) expect(await read()).toEqual([status, 3_600]);
    });
    expect(await read()).toEqual([200, 3_600]);
    expect(await read()).toEqual([200, 3_600]);
    expect(await read()).toEqual([429, 3_600]);
    await ahead(read);
    const fresh = await anotherApp(server);
    opened.push(fresh);
    // It runs with a different origin, but it accepts the key.
    expect(await read(fresh.origin)).toEqual([404, 3_600]);
  });

  it('a key is not refused more or less for machines whose clocks differ by a little', async () => {
    const shop = await server.company({ requestsPerHour: 2 });
    const read = async () => (await shop.commerce('GET', '/products')).status;
    server.clock.advance(60_000);
    expect([await read(), await read(), await read()]).toEqual([200, 200, 429]);
    server.clock.set(START);
    expect(await read()).toBe(429);
  });

  it('a key without a limit shows the end of an hour that has begun', async () => {
    const shop = await server.company({ requestsPerHour: 0 });
    const read = async () => Number((await shop.commerce('GET', '/products')).headers.get('x-ratelimit-reset'));
    await ahead(read);
    expect(await read()).toBe(server.clock.now().getTime() / 1000 + 3_600);
  });

  it('a customer may try passwords', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/customers', { email: 'clock@example.com', password: 'correct horse 7' });
    const check = async (password: string) =>
      (await shop.commerce('POST', `/customers/${made.body.data!.id}/verify-password`, { password })).status;
    await ahead(async () => {
      for (let i = 0; i < 10; i++) expect(await check('wrong')).toBe(200);
      expect(await check('correct horse 7')).toBe(429);
    });
    expect(await check('correct horse 7')).toBe(200);
  });

  it('an address without valid credentials is no longer blocked', async () => {
    const ask = async () => (await server.request('GET', '/commerce/v1/products')).status;
    await ahead(async () => {
      for (let i = 0; i < 30; i++) await ask();
      expect(await ask()).toBe(429);
    });
    expect(await ask()).toBe(401);
  });

  it('sign-in links and sessions of that time are over', async () => {
    const { db } = server.app;
    const now = () => server.clock.now();
    const [link, session] = await ahead(async () => [
      await issueSignIn(db, now()),
      (await signIn(db, await issueSignIn(db, now()), now()))!,
    ]);
    expect(await signIn(db, link!, now())).toBeNull();
    expect(await server.app.sessions.find(session!)).toBeNull();
    const fresh = (await signIn(db, await issueSignIn(db, now()), now()))!;
    expect(await server.app.sessions.find(fresh)).toMatchObject({ actor: 'operator' });
  });

  it('a provider is sent to', async () => {
    const { db } = server.app;
    await leaseSendingTime(db, 'smtp', 1, 10);
    await server.rows("update provider_rates set free_at = free_at + interval '8 days'");
    expect(await leaseSendingTime(db, 'smtp', 1, 10)).toBeLessThan(1_000);
    expect(await leaseSendingTime(db, 'smtp', 600, 10)).toBeGreaterThan(0);
    expect(await leaseSendingTime(db, 'smtp', 1, 10)).toBeGreaterThan(50_000);
  });
});
