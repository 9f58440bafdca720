import type { Queryable } from './pool.ts';
import type { Statement } from './sql.ts';

/** Something that must always hold. `tradeloom doctor` and the tests that try to break the product check it. */
export interface Invariant {
  /** `S1.stock` … the number of the promise and what of it is checked. */
  id: string;
  /** What holds, in a sentence. */
  promise: string;
  /** What to do when it does not. */
  fix: string;
  /** Returns a row with `company_id` and `subject` for each place where the promise is broken; over all companies. */
  violations: Statement | ((db: Queryable) => Promise<Violation[]>);
}

export interface Violation {
  company_id: number;
  subject: string;
}
