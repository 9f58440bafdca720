/**
 * Whether a company's batches insert event keys without looking for known ones. That saves an eighth of the database's
 * work for an event; if a key exists after all, the unique index makes the batch fail, and it is stored again.
 */
export interface OptimisticInserts {
  /** Called once for each batch. */
  expectsNew(companyId: number): boolean;
  /** Called when a batch had a known event. More are likely to follow, since senders repeat whole batches and days. */
  sawKnown(companyId: number): void;
}

/** The number of batches that look for their keys after one that had a known event. */
const CAREFUL_BATCHES = 100;

export function createOptimisticInserts(): OptimisticInserts {
  /** By company, the number of following batches that must look for their keys. */
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
