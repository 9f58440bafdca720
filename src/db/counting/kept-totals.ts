import { rawSql, type Statement, sql } from '../sql.ts';
import type { Source } from './queries.ts';

/** Lists with kept totals, and what they are of. */
export interface KeptTotals {
  /** A condition that holds for the names of these lists. */
  lists: string;
  /** Gives `company_id`, `list`, `facet` and `n`, counted from the rows themselves. */
  counted: Statement;
  /** Not compared while the rows are still counted in the background. */
  source: Source;
}

/** Where kept totals (list_counts and what is not folded into them yet) differ from their counts: the violations of an invariant. */
export function differingTotals({ lists, counted, source }: KeptTotals): Statement {
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
    where coalesce(kept.n, 0) <> coalesce(counted.n, 0) and not is_counting(${source})
    limit 1000`;
}
