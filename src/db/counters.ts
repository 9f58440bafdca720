import type { Slice } from '../lib/slice.ts';
import type { Queryable } from './pool.ts';
import { rawSql, type Statement, sql } from './sql.ts';

// How counters are kept, and what else is folded: docs/design/lists-and-totals.md. Readers use the views `counters` and `sales`.

/** Deltas that one statement folds. */
const AT_ONCE = 50_000;

/** Folds NAME_deltas into NAME_totals (see fold_deltas); the current values, a view over both tables, stay the same. */
export function foldDeltas(db: Queryable, name: 'counter' | 'sales'): Slice<true> {
  return async () => {
    const rows = await db.query<{ folded: number }>(sql`select fold_deltas(${name}, ${AT_ONCE}) as folded`);
    const { folded } = rows[0]!;
    return { done: folded, next: folded < AT_ONCE ? null : true };
  };
}

/** Counters, and how to count them. */
export interface CheckedCounters {
  /** A condition that matches the names of these counters. */
  counters: string;
  /** Returns `company_id`, `counter`, `key` and `n`, counted from the rows themselves. */
  counted: Statement;
}

/** Returns the violations of an invariant: counters that differ from what they count. */
export function differingCounters({ counters, counted }: CheckedCounters): Statement {
  return sql`
    select coalesce(kept.company_id, counted.company_id) as company_id, counter || ' ' || key as subject
    from (
      select company_id, counter, key, sum(n) as n from counters where ${rawSql(counters)} group by company_id, counter, key
    ) kept
    full join (${counted}) counted using (company_id, counter, key)
    where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
    limit 1000`;
}
