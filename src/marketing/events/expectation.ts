/**
 * Whether sets of events are stored as if each of them were new. Not to look whether a key is there before it is taken costs
 * the database a sixth less for a set; where one is there after all, the whole set is done again with care.
 */
export interface Expectation {
  /** Asked once for each set. */
  expectsNew(): boolean;
  /** An event was there already: another is likely to follow, since senders repeat whole batches and days. */
  sawKnown(): void;
}

/** So many sets are stored with care behind one in which an event was known. */
const CAREFUL_SETS = 100;

export function createExpectation(): Expectation {
  let careful = 0;
  return {
    expectsNew() {
      if (careful === 0) return true;
      careful--;
      return false;
    },
    sawKnown() {
      careful = CAREFUL_SETS;
    },
  };
}
