/**
 * Whether a company's batches insert event keys without looking for known ones. That saves an eighth of the database's
 * work for an event; where a key exists after all, the unique index fails and the whole batch is stored again.
 */
export interface OptimisticInserts {
  /** Called once for each batch. */
  expectsNew(companyId: number): boolean;
  /** A batch met a known event. More are likely to follow, since senders repeat whole batches and days. */
  sawKnown(companyId: number): void;
}

/** Batches that look for their keys after one that met a known event. */
const CAREFUL_BATCHES = 100;

export function createOptimisticInserts(): OptimisticInserts {
  /** By company, the number of batches that still look. */
  const careful = new Map<number, number>();
  return {
    expectsNew(companyId) {
      const left = careful.get(companyId);
      if (left === undefined) return true;
      if (left === 1) careful.delete(companyId);
      else careful.set(companyId, left - 1);
      return false;
    },
    sawKnown(companyId) {
      careful.set(companyId, CAREFUL_BATCHES);
    },
  };
}
