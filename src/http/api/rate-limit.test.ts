import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { Overloaded } from '../../errors.ts';
import { anotherApp } from '../../testing/another-app.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { useThings } from '../../testing/probe.ts';
import { createRateLimiter } from './rate-limit.ts';

const server = testServer({ impatient: true });
useThings(server);

const HOUR_MS = 3_600_000;
const opened: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const app of opened.splice(0)) await app.stop();
});

async function another() {
  const app = await anotherApp(server);
  opened.push(app);
  return app;
}

/** Sends one request with the key to one app. */
async function ask(shop: TestCompany, origin = server.origin) {
  const response = await fetch(`${origin}/commerce/v1/things`, { headers: { 'x-api-key': shop.key } });
  await response.arrayBuffer();
  const number = (name: string): number => Number(response.headers.get(name));
  return {
    status: response.status,
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
    policy: response.headers.get('ratelimit-policy'),
    left: response.headers.get('ratelimit'),
    retryAfter: response.headers.get('retry-after'),
  };
}

describe('the rate limit of a key', () => {
  it('allows exactly its number of requests, and every response has the remaining number', async () => {
    const shop = await server.company({ requestsPerHour: 30 });
    const reset = server.clock.now().getTime() / 1000 + 3_600;
    const policy = '"hour";q=30;w=3600';
    const same = { limit: 30, reset, policy };
    for (let remaining = 29; remaining >= 0; remaining--) {
      const left = `"hour";r=${remaining};t=3600`;
      expect(await ask(shop)).toEqual({ status: 200, ...same, remaining, left, retryAfter: null });
    }
    const left = '"hour";r=0;t=3600';
    for (let i = 0; i < 3; i++) {
      expect(await ask(shop)).toEqual({ status: 429, ...same, remaining: 0, left, retryAfter: '3600' });
    }
  });

  it('holds on both APIs together', async () => {
    const shop = await server.company({ requestsPerHour: 4 });
    const statuses = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await shop.commerce('GET', '/things')).status, (await shop.marketing('GET', '/things')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });

  it('counts whatever the response is', async () => {
    const shop = await server.company({ requestsPerHour: 6, scopes: ['products:read', 'products:write'] });
    const responses = [
      await shop.commerce('GET', '/nowhere'),
      await shop.commerce('GET', '/things/0'),
      await shop.commerce('GET', '/things?page=0'),
      await shop.commerce('POST', '/things', {}),
      await shop.commerce('GET', '/things', undefined, { 'api-version': '2' }),
      await shop.marketing('GET', '/things', undefined, { 'x-company-id': '' }),
    ];
    expect(responses.map((response) => response.status)).toEqual([404, 404, 400, 422, 400, 400]);
    expect(responses.map((response) => response.headers.get('x-ratelimit-remaining'))).toEqual([
      '5',
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    expect((await shop.commerce('GET', '/things')).status).toBe(429);
  });

  it('starts its hour with the first request and begins again when that is over', async () => {
    const shop = await server.company({ requestsPerHour: 3 });
    const first = await ask(shop);
    server.clock.advance(HOUR_MS / 2);
    await ask(shop);
    await ask(shop);
    const refused = await ask(shop);
    expect(refused).toMatchObject({ status: 429, reset: first.reset, retryAfter: '1800' });
    server.clock.advance(HOUR_MS / 2 - 1);
    expect(await ask(shop)).toMatchObject({ status: 429, retryAfter: '1' });
    server.clock.advance(1);
    expect(await ask(shop)).toMatchObject({ status: 200, remaining: 2, reset: first.reset + 3_600 });
  });

  it('does not carry unused requests into the next hour', async () => {
    const shop = await server.company({ requestsPerHour: 40 });
    await ask(shop);
    server.clock.advance(HOUR_MS);
    const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await ask(shop)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
  });

  it('holds exactly over four processes at once', async () => {
    const shop = await server.company({ requestsPerHour: 200 });
    const origins = [server.origin, ...(await Promise.all([another(), another(), another()])).map((app) => app.origin)];
    const statuses: number[] = [];
    const turns = Array.from({ length: 800 }, (_, i) => origins[i % 4]!).values();
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        for (const origin of turns) statuses.push((await ask(shop, origin)).status);
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    expect(statuses.filter((status) => status === 429)).toHaveLength(600);
  });

  it('never gives more than its number, however processes, crashes and windows fall', async () => {
    const shop = await server.company({ requestsPerHour: 50 });
    const holder = (await server.app.authenticator.authenticate(shop.key))!;
    for (let round = 0; round < 3; round++) {
      let allowed = 0;
      for (let generation = 0; generation < 4; generation++) {
        const limiters = Array.from({ length: 3 }, () => createRateLimiter(server.app.db, server.clock));
        await Promise.all(
          limiters.map(async (limiter, i) => {
            for (let n = 0; n < 6 + i; n++) if ((await limiter.take(holder)).allowed) allowed++;
          }),
        );
        // Every second generation ends without returning its slices, like a killed process.
        if (generation % 2 === 0) await Promise.all(limiters.map((limiter) => limiter.close()));
      }
      expect(allowed).toBeLessThanOrEqual(50);
      expect(allowed).toBeGreaterThan(30);
      server.clock.advance(HOUR_MS);
    }
  });

  it('is given back at the end of a process whose writes are all taken', async () => {
    const shop = await server.company({ requestsPerHour: 100 });
    const holder = (await server.app.authenticator.authenticate(shop.key))!;
    const { db } = server.app;
    let full = false;
    const taken = {
      writes: (companyId: number) => {
        if (full) throw new Overloaded();
        return db.writes(companyId);
      },
      choresOf: (companyId: number) => db.choresOf(companyId),
    };
    const limiter = createRateLimiter(taken, server.clock);
    await limiter.take(holder);
    full = true;
    await limiter.close();
    expect(await ask(shop)).toMatchObject({ status: 200, remaining: 98 });
  });

  it('asks the database no more once it is used up, until the window ends', async () => {
    const shop = await server.company({ requestsPerHour: 2 });
    const holder = (await server.app.authenticator.authenticate(shop.key))!;
    const limiter = createRateLimiter(server.app.db, server.clock);
    for (let n = 0; n < 2; n++) expect(await limiter.take(holder)).toMatchObject({ allowed: true });
    expect(limiter.take(holder)).toMatchObject({ allowed: false, remaining: 0 });
    server.clock.advance(HOUR_MS);
    expect(await limiter.take(holder)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('does not return requests that a process counted locally while the database refused writes', async () => {
    const shop = await server.company({ requestsPerHour: 100 });
    const holder = (await server.app.authenticator.authenticate(shop.key))!;
    for (let n = 0; n < 10; n++) await ask(shop);
    const refusal = Object.assign(new pg.DatabaseError('read-only', 0, 'error'), { code: '25006' });
    const readOnly = {
      writes: () => {
        throw refusal;
      },
      choresOf: (companyId: number) => server.app.db.choresOf(companyId),
    };
    const alone = createRateLimiter(readOnly, server.clock);
    const leased = () => server.rows('select leased from api_key_usage where api_key_id = $1', [holder.keyId]);
    const before = await leased();
    expect(await alone.take(holder)).toMatchObject({ allowed: true });
    await alone.close();
    expect(await leased()).toEqual(before);
  });

  it('survives a graceful restart to the request', async () => {
    const shop = await server.company({ requestsPerHour: 100 });
    const before = await another();
    for (let i = 0; i < 7; i++) await ask(shop, before.origin);
    await before.stop();
    opened.length = 0;
    const after = await another();
    expect(await ask(shop, after.origin)).toMatchObject({ status: 200, remaining: 92 });
  });

  it('of 0 means no limit, and the headers are still numbers', async () => {
    const shop = await server.company({ requestsPerHour: 0 });
    const responses = await Promise.all(Array.from({ length: 50 }, () => ask(shop)));
    for (const response of responses) {
      expect(response).toMatchObject({ status: 200, limit: 2_147_483_647, remaining: 2_147_483_647, retryAfter: null });
      expect(response.reset).toBe(server.clock.now().getTime() / 1000 + 3_600);
    }
  });

  it('notes the last use of a key, at most once a minute', async () => {
    const shop = await server.company({ requestsPerHour: 0 });
    const lastUse = async () => {
      const rows = await server.rows<{ at: Date }>(
        'select last_used_at as at from api_key_usage where company_id = $1',
        [shop.company_id],
      );
      return rows[0]?.at.getTime();
    };
    const first = server.clock.now().getTime();
    await ask(shop);
    await expect.poll(lastUse).toBe(first);
    server.clock.advance(59_999);
    await ask(shop);
    server.clock.advance(1);
    await ask(shop);
    await expect.poll(lastUse).toBe(first + 60_000);
  });
});
