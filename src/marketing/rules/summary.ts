import type { Statement } from '../../db/sql.ts';

/** What the things of a contact come to, as SQL expressions over the contact's group. */
export interface Summary {
  n: Statement;
  amount: Statement;
  first: Statement;
  last: Statement;
}
