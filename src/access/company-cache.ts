import type { Db, Queryable } from '../db/pool.ts';
import type { CompanyVersions } from './company-versions.ts';

/** Something of a company kept in memory until the company's configuration changes. */
export interface CompanyCache<T> {
  /** At most one second old. Throws what `load` throws; a failure is not kept. */
  get(companyId: number): Promise<T>;
  /** The kept value if it is fresh, at no cost; else undefined, and `get` must be asked. */
  peek(companyId: number): T | undefined;
  /** As `peek`, with the version that the value is of. */
  peekVersioned(companyId: number): { version: number; value: T } | undefined;
  /**
   * Exactly what `tx` sees: `version` is what the transaction itself read from company_versions (see `versionIn`).
   */
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
