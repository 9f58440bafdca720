import type { Db, Tx } from '../pool.ts';

/**
 * Wraps an open transaction as a database: services that would open and end transactions of their own become part of
 * this one, which ends later. For one call at a time.
 */
export function joining(tx: Tx): Db {
  const query: Tx['query'] = (statement) => tx.query(statement);
  const inner: Tx = {
    kind: 'tx',
    query,
    commitAfter: async (pending) => {
      await Promise.all(pending);
    },
    limitStatements: (ms) => tx.limitStatements(ms),
    savepoint: (work) => tx.savepoint(work),
  };
  const tenantTx: Db['tenantTx'] = (_companyId, work) => work(inner);
  const joined: Db = {
    kind: 'db',
    query,
    tx: (work) => work(inner),
    tenantTx,
    points: () => joined,
    lists: () => joined,
    writes: () => joined,
    choresOf: () => joined,
    get strangers() {
      return joined;
    },
    get chores() {
      return joined;
    },
    get probe() {
      return joined;
    },
    shared: inner,
    figures: () => ({}),
    writesRefusedAt: () => Number.NEGATIVE_INFINITY,
    close: async () => {},
  };
  return joined;
}
