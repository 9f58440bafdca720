import type { Queryable } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import { walkSorted } from '../../db/walk-sorted.ts';
import { columns, conditionOf, KEYS, type PromoFilters, type PromoRow, type PromoSort, rowOf } from './queries.ts';

/** Yields all promo codes under the filters, in pages. */
export async function* walkPromos(
  db: Queryable,
  companyId: number,
  filters: PromoFilters,
  { key, direction }: PromoSort,
): AsyncGenerator<PromoRow[]> {
  const from = sql`from promo_codes where ${conditionOf(companyId, filters)}`;
  const set = { from, id: rawSql('id'), key: key === null ? null : KEYS[key] };
  for await (const ids of walkSorted(db, set, direction)) {
    const rows = await db.query<PromoRow>(sql`
      select ${columns} from promo_codes where company_id = ${companyId} and id = any(${ids}::bigint[])
      order by array_position(${ids}::bigint[], id)`);
    yield rows.map(rowOf);
  }
}
