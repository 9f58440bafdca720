import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Queryable } from '../db/pool.ts';
import type { Statement } from '../db/sql.ts';
import { anotherApp } from '../testing/another-app.ts';
import { testServer } from '../testing/harness.ts';
import { useThings } from '../testing/probe.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './api-key-service.ts';
import { newApiKey } from './api-keys.ts';
import { createAuthenticator } from './authenticator.ts';

const server = testServer();
useThings(server);

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const app of opened.splice(0)) await app.stop();
});

const action = () => ({ now: server.clock.now(), actor: 'test' });

async function shopWithKey() {
  const shop = await server.company();
  const made = await createKey(server.app.db, {
    companyId: shop.company_id,
    name: 'till',
    scopes: ['products:read'],
    requestsPerHour: 0,
    expiresAt: null,
    ...action(),
  });
  return { shop, ...made };
}

const ask = async (key: string, origin = server.origin): Promise<number> => {
  const response = await fetch(`${origin}/commerce/v1/things`, { headers: { 'x-api-key': key } });
  await response.arrayBuffer();
  return response.status;
};

describe('a key', () => {
  it('is refused by every process within a second of its revocation, under load', async () => {
    const { key, key_id } = await shopWithKey();
    const other = await anotherApp(server);
    opened.push(other);
    const origins = [server.origin, other.origin];
    for (const origin of origins) expect(await ask(key, origin)).toBe(200);
    let revokedAt = Number.POSITIVE_INFINITY;
    const lastTaken = new Map<string, number>();
    const callers = origins.map(async (origin) => {
      while (performance.now() < revokedAt + 1_500) {
        const asked = performance.now();
        if ((await ask(key, origin)) === 200) lastTaken.set(origin, asked);
        await sleep(5);
      }
    });
    await sleep(50);
    await revokeKey(server.app.db, key_id, action());
    revokedAt = performance.now();
    await Promise.all(callers);
    for (const origin of origins) expect(lastTaken.get(origin)! - revokedAt).toBeLessThan(1_000);
  });

  it('is not accepted while the database does not respond to the poll', async () => {
    // Earlier failures have blocked this address for a minute.
    server.clock.advance(61_000);
    const { key } = await shopWithKey();
    expect(await ask(key)).toBe(200);
    const { versions, db, clock } = server.app;
    const stale = createAuthenticator(
      { query: () => Promise.reject(new Error('down')) },
      { ...versions, isFresh: () => false, refresh: () => Promise.reject(new Error('down')) },
      clock,
    );
    await expect(Promise.resolve(stale.authenticate(key))).rejects.toThrow('down');
    expect(await createAuthenticator(db, versions, clock).authenticate(key)).toMatchObject({ name: 'till' });
  });

  it('that is revoked while it is looked up is not kept as a live one', async () => {
    const { key, key_id } = await shopWithKey();
    const { db, versions, clock } = server.app;
    // The row is read, then the revocation is committed and polled, and only then the row arrives.
    const slow: Queryable = {
      async query<Row>(statement: Statement) {
        const rows = await db.query<Row>(statement);
        await revokeKey(db, key_id, action());
        await versions.refresh();
        return rows;
      },
    };
    const authenticator = createAuthenticator(slow, versions, clock);
    await authenticator.authenticate(key);
    expect(await authenticator.authenticate(key)).toBeNull();
  });

  it('is authenticated from memory once it is known', async () => {
    const { key } = await shopWithKey();
    const { db, versions, clock } = server.app;
    let asked = 0;
    const counted: Queryable = {
      query: (statement) => {
        asked++;
        return db.query(statement);
      },
    };
    const authenticator = createAuthenticator(counted, versions, clock);
    await versions.refresh();
    await authenticator.authenticate(key);
    for (let i = 0; i < 100; i++) expect(authenticator.authenticate(key)).not.toBeInstanceOf(Promise);
    expect(asked).toBe(1);
  });

  it('that is none costs no query', () => {
    const never: Queryable = { query: () => Promise.reject(new Error('asked')) };
    const authenticator = createAuthenticator(never, server.app.versions, server.app.clock);
    for (const key of ['', 'x', `${newApiKey().slice(0, -1)}!`]) expect(authenticator.authenticate(key)).toBeNull();
  });

  it('that was rotated works on for the overlap and no longer', async () => {
    const { key, key_id, shop } = await shopWithKey();
    const fresh = await rotateKey(server.app.db, key_id, { overlapHours: 2, ...action() });
    expect(fresh).toMatchObject({ name: 'till', scopes: ['products:read'], company_id: shop.company_id });
    await server.app.versions.refresh();
    expect([await ask(key), await ask(fresh.key)]).toEqual([200, 200]);
    server.clock.advance(2 * 3_600_000 - 1);
    expect([await ask(key), await ask(fresh.key)]).toEqual([200, 200]);
    server.clock.advance(1);
    expect([await ask(key), await ask(fresh.key)]).toEqual([401, 200]);
  });

  it('is nowhere in the database, only its hash and its first characters', async () => {
    const { key, shop } = await shopWithKey();
    const [row] = await server.rows<{ text: string }>(
      'select api_keys::text as text from api_keys where company_id = $1 order by id desc',
      [shop.company_id],
    );
    expect(row!.text).not.toContain(key.slice(12));
    const dump = await server.rows<{ text: string }>(
      'select audit_log::text as text from audit_log where company_id = $1',
      [shop.company_id],
    );
    expect(dump.length).toBeGreaterThan(0);
    for (const { text } of dump) expect(text).not.toContain(key.slice(8));
    expect(JSON.stringify(await listKeys(server.app.db, shop.company_id))).not.toContain(key.slice(12));
  });

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['orders:delete'] }, 'scopes'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ requestsPerHour: -1 }, 'requests_per_hour'],
    [{ requestsPerHour: 1.5 }, 'requests_per_hour'],
  ])('is not made of %j', async (wrong, field) => {
    const shop = await server.company();
    const input = {
      companyId: shop.company_id,
      name: 'k',
      scopes: ['*'],
      requestsPerHour: 1,
      expiresAt: null,
      ...action(),
      ...wrong,
    };
    await expect(createKey(server.app.db, input)).rejects.toMatchObject({ details: { fields: [{ field }] } });
  });

  it('is not made for a company that does not exist', async () => {
    const input = { companyId: 999_999, name: 'k', scopes: ['*'], requestsPerHour: 1, expiresAt: null, ...action() };
    await expect(createKey(server.app.db, input)).rejects.toMatchObject({ code: 'not_found' });
    await expect(revokeKey(server.app.db, 999_999, action())).rejects.toMatchObject({ code: 'not_found' });
  });
});
