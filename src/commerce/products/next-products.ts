import type { Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';

/** Products and variants that a slice examines at most, beyond those of its first product. */
const MOST_EXAMINED = 4_000;

/**
 * Locks the company's next simple products and parents after an id, up to the first that another transaction has locked. It waits for
 * none: variants are locked before their parents, so the order of the ids is none for locks. Returns whether they are the last; none that
 * are not the last where the first is locked.
 */
export async function lockNext(
  tx: Tx,
  companyId: number,
  after: number,
  limit: number,
  lock: 'for share' | 'for no key update',
): Promise<{ ids: number[]; isLast: boolean }> {
  const rows = await tx.query<{ id: number; variants: number }>(sql`
    select id, variant_count as variants from products
    where company_id = ${companyId} and id > ${after} and variant_of is null order by id limit ${limit}`);
  const next = firstOf(rows);
  if (next.length === 0) return { ids: [], isLast: true };
  const locked = await tx.query<{ id: number }>(sql`
    select id from products where company_id = ${companyId} and id = any(${next}::bigint[]) and variant_of is null
    order by id ${rawSql(lock)} skip locked`);
  const free = new Set(locked.map(({ id }) => id));
  const skipped = next.findIndex((id) => !free.has(id));
  if (skipped !== -1) return { ids: next.slice(0, skipped), isLast: false };
  return { ids: next, isLast: next.length === rows.length && rows.length < limit };
}

/** Returns the ids of the first products: as many as have few enough variants together, and one at least. */
export function firstOf(rows: readonly { id: number; variants: number }[]): number[] {
  const ids: number[] = [];
  let examined = 0;
  for (const { id, variants } of rows) {
    examined += 1 + variants;
    if (examined > MOST_EXAMINED && ids.length > 0) break;
    ids.push(id);
  }
  return ids;
}
