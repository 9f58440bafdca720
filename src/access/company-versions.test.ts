import { describe, expect, it } from 'vitest';
import { createDb } from '../db/create-db.ts';
import type { Db } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { testServer } from '../testing/harness.ts';
import { createCompanyCache } from './company-cache.ts';
import { createCompanyVersions, versionIn } from './company-versions.ts';

const server = testServer();

const rename = (companyId: number, name: string) =>
  sql`update companies set name = ${name} where company_id = ${companyId}`;
const nameOf = async (db: Pick<Db, 'query'>, companyId: number): Promise<string> => {
  const [row] = await db.query<{ name: string }>(sql`select name from companies where company_id = ${companyId}`);
  return row!.name;
};

describe('company versions', () => {
  it('rise with every change, also one that commits long after later ones', async () => {
    const slow = await server.company();
    const quick = await server.company();
    const versions = createCompanyVersions(server.app.db, () => {});
    await versions.refresh();
    const before = [versions.version(slow.company_id), versions.version(quick.company_id)];
    await server.app.db.tx(async (tx) => {
      await tx.query(rename(slow.company_id, 'slow'));
      await server.app.db.query(rename(quick.company_id, 'quick'));
      await versions.refresh();
      expect([versions.version(slow.company_id), versions.version(quick.company_id)]).toEqual([
        before[0],
        before[1]! + 1,
      ]);
    });
    await versions.refresh();
    expect(versions.version(slow.company_id)).toBe(before[0]! + 1);
  });

  it('report that a transaction wrote, also one that was open at the poll before', async () => {
    const shop = await server.company();
    const versions = createCompanyVersions(server.app.db, () => {});
    let reports = 0;
    versions.writes.watch(() => reports++);
    await versions.refresh();
    const before = reports;
    await server.app.db.tx(async (tx) => {
      await tx.query(rename(shop.company_id, 'written'));
      await versions.refresh();
    });
    const open = reports;
    await versions.refresh();
    expect([before, reports - open]).toEqual([1, 1]);
  });

  it('are not raised by a transaction that is rolled back', async () => {
    const shop = await server.company();
    const before = await versionIn(server.app.db, shop.company_id);
    const undone = server.app.db.tx(async (tx) => {
      await tx.query(rename(shop.company_id, 'x'));
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await versionIn(server.app.db, shop.company_id)).toBe(before);
  });

  it('are fresh for a second after a poll that succeeded, and a failed poll is told', async () => {
    let down = false;
    const failures: unknown[] = [];
    const versions = createCompanyVersions(
      { query: (statement) => (down ? Promise.reject(new Error('down')) : server.app.db.query(statement)) },
      (error) => failures.push(error),
    );
    expect(versions.isFresh()).toBe(false);
    await versions.start();
    expect(versions.isFresh()).toBe(true);
    down = true;
    await expect.poll(() => versions.isFresh()).toBe(false);
    expect(failures.length).toBeGreaterThan(0);
    down = false;
    await expect.poll(() => versions.isFresh()).toBe(true);
    versions.stop();
  });

  it('are fresh while a listener hangs; it is notified again when it is done', async () => {
    const shop = await server.company();
    const versions = createCompanyVersions(server.app.db, () => {});
    const told: (readonly number[])[] = [];
    let release = () => {};
    await versions.start();
    versions.watch((changed) => {
      told.push(changed);
      return new Promise((resolve) => {
        release = resolve;
      });
    });
    await expect.poll(() => told.length).toBe(1);
    const before = versions.version(shop.company_id);
    await server.app.db.query(rename(shop.company_id, 'while it hangs'));
    await expect.poll(() => versions.version(shop.company_id)).toBe(before + 1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([versions.isFresh(), told.length]).toEqual([true, 1]);
    let isDone = false;
    const refreshed = versions.refresh().then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isDone).toBe(false);
    release();
    await expect.poll(() => told.length).toBe(2);
    expect(told[1]).toContain(shop.company_id);
    release();
    await refreshed;
    versions.stop();
    release();
  });
});

describe('a cache of what belongs to a company', () => {
  it('loads once and again after a change by another process', async () => {
    const shop = await server.company({ name: 'first' });
    const versions = createCompanyVersions(server.app.db, () => {});
    let loads = 0;
    const cache = createCompanyCache(server.app.db, versions, (db, companyId) => {
      loads++;
      return nameOf(db, companyId);
    });
    expect(cache.peek(shop.company_id)).toBeUndefined();
    expect(await cache.get(shop.company_id)).toBe('first');
    expect(await cache.get(shop.company_id)).toBe('first');
    expect(cache.peek(shop.company_id)).toBe('first');
    expect(loads).toBe(1);
    const elsewhere = createDb({ connection: server.connection });
    await elsewhere.query(rename(shop.company_id, 'second'));
    await elsewhere.close();
    await versions.refresh();
    expect(cache.peek(shop.company_id)).toBeUndefined();
    expect(await cache.get(shop.company_id)).toBe('second');
  });

  it('gives a transaction exactly its own view', async () => {
    const shop = await server.company({ name: 'before' });
    const cache = createCompanyCache(server.app.db, server.app.versions, nameOf);
    expect(await cache.get(shop.company_id)).toBe('before');
    await server.app.db.tx(async (tx) => {
      await tx.query(rename(shop.company_id, 'within'));
      const version = await versionIn(tx, shop.company_id);
      expect(await cache.at(tx, shop.company_id, version)).toBe('within');
    });
  });

  it('never serves the view of a transaction that was rolled back', async () => {
    const shop = await server.company({ name: 'kept' });
    const cache = createCompanyCache(server.app.db, server.app.versions, nameOf);
    const undone = server.app.db.tx(async (tx) => {
      await tx.query(rename(shop.company_id, 'undone'));
      expect(await cache.at(tx, shop.company_id, await versionIn(tx, shop.company_id))).toBe('undone');
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await server.app.db.query(rename(shop.company_id, 'next'));
    await server.app.versions.refresh();
    expect(await cache.get(shop.company_id)).toBe('next');
  });

  it('does not keep a failure', async () => {
    const shop = await server.company();
    let tries = 0;
    const cache = createCompanyCache(server.app.db, server.app.versions, async () => {
      if (++tries === 1) throw new Error('no');
      return 'loaded';
    });
    await expect(cache.get(shop.company_id)).rejects.toThrow('no');
    expect(await cache.get(shop.company_id)).toBe('loaded');
  });
});
