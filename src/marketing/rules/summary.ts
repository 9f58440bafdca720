import type { Statement } from '../../db/sql.ts';

/** The aggregates of a contact's history, as SQL expressions over the contact's group. */
export interface Summary {
  n: Statement;
  amount: Statement;
  first: Statement;
  last: Statement;
}
