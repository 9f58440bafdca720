import { rawSql, type Statement, sql } from './sql.ts';

/** Lists with kept totals, and how to count them. */
export interface KeptTotals {
  /** A condition that matches the names of these lists. */
  lists: string;
  /** Returns `company_id`, `list`, `facet` and `n`, counted from the rows themselves. */
  counted: Statement;
}

/** Returns the violations of an invariant: kept totals (list_counts and what is not folded into them yet) that differ from their counts. */
export function differingTotals({ lists, counted }: KeptTotals): Statement {
  const where = rawSql(lists);
  return sql`
    select coalesce(kept.company_id, counted.company_id) as company_id, list || ' ' || facet as subject
    from (
      select company_id, list, facet, sum(n) as n from (
        select company_id, list, facet, n from list_counts where ${where}
        union all select company_id, list, facet, n from list_count_deltas where ${where}
      ) all_rows group by company_id, list, facet
    ) kept
    full join (${counted}) counted using (company_id, list, facet)
    where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
    limit 1000`;
}
