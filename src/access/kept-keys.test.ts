import { describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { newApiKey } from './api-keys.ts';
import { createAuthenticator } from './authenticator.ts';
import { createCompanyCache } from './company-cache.ts';

/** What a process keeps in memory of a company, with versions and a database that the test moves. */
function process() {
  const clock = createTestClock();
  const row = {
    id: 7,
    company_id: 1,
    name: 'till',
    scopes: ['orders:read'],
    requests_per_hour: 0,
    expires_at: null as Date | null,
    revoked_at: null as Date | null,
    version: 3,
  };
  const state = { clock, row, fresh: true, version: 3, asked: 0, refreshed: 0 };
  const versions = {
    start: async () => {},
    stop: () => {},
    watch: () => {},
    refresh: async () => {
      state.refreshed++;
      state.fresh = true;
    },
    version: (companyId: number) => (companyId === 1 ? state.version : 0),
    writes: { mark: () => '', watch: () => {} },
    isFresh: () => state.fresh,
  };
  const db: Queryable = {
    query: async <Row>() => {
      state.asked++;
      return [{ ...row }] as unknown[] as Row[];
    },
  };
  const cache = createCompanyCache(
    { points: () => db as Db },
    versions,
    async (source) => (await source.query(sql``)).length,
  );
  return { state, cache, authenticator: createAuthenticator(db, versions, clock) };
}

describe('a key that is kept in memory', () => {
  const key = newApiKey();

  it('is looked up again once the versions are no longer fresh, though its version is the last one seen', async () => {
    const { state, authenticator } = process();
    await authenticator.authenticate(key);
    expect(authenticator.authenticate(key)).toMatchObject({ name: 'till', keyId: 7, companyId: 1 });
    state.fresh = false;
    state.row.revoked_at = state.clock.now();
    expect(await authenticator.authenticate(key)).toBeNull();
    expect(state).toMatchObject({ asked: 2, refreshed: 1 });
  });

  it('is looked up again once its company has changed', async () => {
    const { state, authenticator } = process();
    await authenticator.authenticate(key);
    state.version = 4;
    state.row.name = 'new name';
    expect(await authenticator.authenticate(key)).toMatchObject({ name: 'new name' });
    expect(state.asked).toBe(2);
  });

  it('ends at the moment it expires, without a query', async () => {
    const { state, authenticator } = process();
    state.row.expires_at = new Date(state.clock.now().getTime() + 1_000);
    expect(await authenticator.authenticate(key)).toMatchObject({ name: 'till' });
    state.clock.advance(999);
    expect(authenticator.authenticate(key)).toMatchObject({ name: 'till' });
    expect(authenticator.isKnown(key)).toBe(true);
    state.clock.advance(1);
    expect(authenticator.authenticate(key)).toBeNull();
    expect(authenticator.isKnown(key)).toBe(false);
    expect(state.asked).toBe(1);
  });
});

describe('data of a company that is kept in memory', () => {
  it('is not given once the versions are no longer fresh or the company has changed', async () => {
    const { state, cache } = process();
    expect(cache.peek(1)).toBeUndefined();
    expect(await cache.get(1)).toBe(1);
    expect([cache.peek(1), cache.peekVersioned(1)]).toEqual([1, { version: 3, value: 1 }]);
    state.fresh = false;
    expect([cache.peek(1), cache.peekVersioned(1)]).toEqual([undefined, undefined]);
    await cache.get(1);
    expect(state).toMatchObject({ asked: 1, refreshed: 1 });
    state.version = 4;
    expect(cache.peek(1)).toBeUndefined();
    await cache.get(1);
    expect(state).toMatchObject({ asked: 2, refreshed: 1 });
  });
});
