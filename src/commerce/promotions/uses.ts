import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Changes how often promo codes have been used, by id. Codes that the transaction has not locked are locked by ascending id. */
export async function countPromoUses(tx: Tx, companyId: number, uses: ReadonlyMap<number, number>): Promise<void> {
  if (uses.size === 0) return;
  await tx.query(sql`
    with locked as materialized (
      select id from promo_codes
      where company_id = ${companyId} and id = any(${[...uses.keys()]}::bigint[]) order by id for update
    )
    update promo_codes p set used_count = p.used_count + t.uses
    from locked join unnest(${[...uses.keys()]}::bigint[], ${[...uses.values()]}::int[]) as t (id, uses) using (id)
    where p.company_id = ${companyId} and p.id = t.id`);
}
