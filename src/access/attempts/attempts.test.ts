import { afterEach, describe, expect, it } from 'vitest';
import { anotherApp } from '../../testing/another-app.ts';
import { testServer } from '../../testing/harness.ts';
import { newApiKey } from '../api-keys.ts';
import { issueSignIn } from '../sessions.ts';
import type { Door } from './door.ts';
import { createNetworkLimiter } from './limiter.ts';

const server = testServer({ impatient: true, config: { trustedProxies: ['127.0.0.1'], logLevel: 'silent' } });
const opened: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const app of opened.splice(0)) await app.stop();
  server.clock.advance(61_000);
});

const from = (address: string, key?: string) => ({
  'x-forwarded-for': address,
  ...(key === undefined ? {} : { 'x-api-key': key }),
});
async function ask(origin: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${origin}/commerce/v1/products`, { headers });
  await response.arrayBuffer();
  return response.status;
}
const badKey = () => newApiKey();

describe('failed authentication', () => {
  it('is counted over all processes together, thirty a minute', async () => {
    const others = await Promise.all([anotherApp(server), anotherApp(server)]);
    opened.push(...others);
    const origins = [server.origin, ...others.map(({ origin }) => origin)];
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) statuses.push(await ask(origins[i % 3]!, from('198.51.100.1', badKey())));
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    server.clock.advance(60_000);
    for (const origin of origins) expect(await ask(origin, from('198.51.100.1', badKey()))).toBe(401);
  });

  it('survives a restart', async () => {
    const before = await anotherApp(server);
    for (let i = 0; i < 30; i++) await ask(before.origin, from('198.51.100.2', badKey()));
    await before.stop();
    expect(await ask(server.origin, from('198.51.100.2', badKey()))).toBe(429);
  });

  it('blocks no key that the process knows, and looks no other up', async () => {
    const shop = await server.company();
    const address = '198.51.100.3';
    expect(await ask(server.origin, from(address, shop.key))).toBe(200);
    for (let i = 0; i < 31; i++) await ask(server.origin, from(address, badKey()));
    expect(await ask(server.origin, from(address, badKey()))).toBe(429);
    expect(await ask(server.origin, from(address, shop.key))).toBe(200);
    const other = await server.company();
    expect(await ask(server.origin, from(address, other.key))).toBe(429);
    expect(await ask(server.origin, from('198.51.100.4', other.key))).toBe(200);
    expect(await ask(server.origin, from(address, other.key))).toBe(200);
  });

  it('at one door locks no other: bad API keys leave the operator’s link alone', async () => {
    const address = '198.51.100.5';
    for (let i = 0; i < 32; i++) await ask(server.origin, from(address, badKey()));
    expect(await ask(server.origin, from(address))).toBe(429);
    const company = (await server.company()).company_id;
    const at = (path: string) =>
      server.request('POST', path, { raw: '{}', headers: { 'x-forwarded-for': address } }).then(({ status }) => status);
    const token = await issueSignIn(server.app.db, server.clock.now());
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const signIn = await server.request('POST', '/admin/sign-in', {
      raw: `token=${token}`,
      headers: { ...form, 'x-forwarded-for': address },
    });
    expect(signIn.status).toBe(303);
    expect(await at('/marketing/v1/webhook')).toBe(401);
    for (let i = 0; i < 30; i++) expect(await at(`/marketing/bounces/mailgun/${company}`)).toBe(401);
    expect(await at(`/marketing/bounces/mailgun/${company}`)).toBe(429);
    expect(await at('/marketing/v1/webhook')).toBe(401);
  });

  it('is counted by the /64 of an IPv6 address', async () => {
    for (let i = 0; i < 30; i++) {
      expect(await ask(server.origin, from(`2001:db8:1:2::${i.toString(16)}`, badKey()))).toBe(401);
    }
    expect(await ask(server.origin, from('2001:db8:1:2:ffff::1', badKey()))).toBe(429);
    expect(await ask(server.origin, from('2001:db8:1:3::1', badKey()))).toBe(401);
  });
});

describe('its cost', () => {
  const counting = () => {
    let statements = 0;
    const db = {
      query: <Row>(statement: Parameters<typeof server.app.db.query>[0]) => {
        statements++;
        return server.app.db.query<Row>(statement);
      },
    };
    return { db, count: () => statements };
  };

  it('is a few statements for one address, however often it fails', async () => {
    const { db, count } = counting();
    const limiter = createNetworkLimiter(db, server.clock, () => {});
    for (let i = 0; i < 1_000; i++) await limiter.count('api_key', '198.51.100.6');
    expect(count()).toBeLessThan(20);
  });

  it('is a fraction of a statement each for many addresses, and bounded rows, which go again', async () => {
    const { db, count } = counting();
    const limiter = createNetworkLimiter(db, server.clock, () => {});
    const addresses = Array.from({ length: 5_000 }, (_, i) => `203.0.${i >> 8}.${i & 255}`);
    const waits = await Promise.all(addresses.map((address) => limiter.count('api_key', address)));
    expect(new Set(waits)).toEqual(new Set([0]));
    expect(count()).toBeLessThan(100);
    const rows = async () => (await server.rows<{ n: number }>('select count(*)::int as n from failed_attempts'))[0]!.n;
    expect(await rows()).toBeLessThan(600);
    server.clock.advance(61_000);
    await createNetworkLimiter(server.app.db, server.clock, () => {}).count('sms', '198.51.100.7');
    await expect.poll(rows).toBeLessThan(10);
  });

  it('costs no statement for the first sixth of a token, which all processes count from then on', async () => {
    const { db, count } = counting();
    const limiters = [1, 2].map(() => createNetworkLimiter(db, server.clock, () => {}));
    const taken = async (times: number) => {
      let refused = 0;
      for (let i = 0; i < times; i++) if ((await limiters[i % 2]!.countOfToken('store_writes', 'token')) > 0) refused++;
      return refused;
    };
    expect([await taken(40), count()]).toEqual([0, 0]);
    expect(await taken(100)).toBe(20);
  });

  it('is no authentication: without the database each process counts alone', async () => {
    const errors: unknown[] = [];
    const broken = { query: () => Promise.reject(new Error('gone')) };
    const limiter = createNetworkLimiter(broken, server.clock, (error) => errors.push(error));
    const waits: number[] = [];
    for (let i = 0; i < 31; i++) waits.push(await limiter.count('sign_in', '198.51.100.8'));
    expect(waits.slice(0, 30)).toEqual(Array(30).fill(0));
    expect(errors).not.toEqual([]);
  });

  it('a window that a wrong clock set in the future starts again', async () => {
    const fail = (door: Door) =>
      createNetworkLimiter(server.app.db, server.clock, () => {}).count(door, '198.51.100.9');
    const now = server.clock.now();
    server.clock.advance(8 * 24 * 3_600_000);
    for (let i = 0; i < 40; i++) await fail('sms');
    server.clock.set(now);
    expect(await fail('sms')).toBe(0);
  });
});
