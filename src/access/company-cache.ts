import type { Db, Queryable } from '../db/pool.ts';
import type { CompanyVersions } from './company-versions.ts';

/** Caches data of companies until a company's configuration changes. */
export interface CompanyCache<T> {
  /** Returns a value at most one second old. Throws what `load` throws; failures are not cached. */
  get(companyId: number): Promise<T>;
  /** Returns the cached value if it is fresh, at no cost; otherwise undefined, and `get` must be called. */
  peek(companyId: number): T | undefined;
  /** Like `peek`, with the version of the value. */
  peekVersioned(companyId: number): { version: number; value: T } | undefined;
  /** Returns exactly what `tx` sees: `version` is what the transaction itself read from company_versions (see `versionIn`). */
  at(tx: Queryable, companyId: number, version: number): Promise<T>;
}

export function createCompanyCache<T>(
  db: Pick<Db, 'points'>,
  versions: CompanyVersions,
  load: (db: Queryable, companyId: number) => Promise<T>,
): CompanyCache<T> {
  const kept = new Map<number, { version: number; value: Promise<T>; settled?: T }>();

  function loadAt(source: Queryable, companyId: number, version: number): Promise<T> {
    const entry: { version: number; value: Promise<T>; settled?: T } = { version, value: load(source, companyId) };
    kept.set(companyId, entry);
    entry.value.then(
      (value) => {
        entry.settled = value;
      },
      () => {
        if (kept.get(companyId) === entry) kept.delete(companyId);
      },
    );
    return entry.value;
  }

  function current(companyId: number): { version: number; value: Promise<T>; settled?: T } | undefined {
    const entry = kept.get(companyId);
    return entry !== undefined && versions.isFresh() && entry.version === versions.version(companyId)
      ? entry
      : undefined;
  }

  return {
    async get(companyId) {
      if (!versions.isFresh()) await versions.refresh();
      return current(companyId)?.value ?? loadAt(db.points(companyId), companyId, versions.version(companyId));
    },
    peek: (companyId) => current(companyId)?.settled,
    peekVersioned(companyId) {
      const entry = current(companyId);
      return entry?.settled === undefined ? undefined : { version: entry.version, value: entry.settled };
    },
    at(tx, companyId, version) {
      if (version < 0) return load(tx, companyId);
      const entry = kept.get(companyId);
      return entry !== undefined && entry.version === version ? entry.value : loadAt(tx, companyId, version);
    },
  };
}
