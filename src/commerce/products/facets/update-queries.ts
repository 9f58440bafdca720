import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { lockNext } from '../next-products.ts';
import { keepFacets } from './keep-queries.ts';

/** A company whose filterable custom fields have changed. */
export interface FacetUpdate {
  company_id: number;
  version: number;
}

/** Returns such companies. */
export async function findUpdating(db: Queryable, limit: number): Promise<FacetUpdate[]> {
  return db.query<FacetUpdate>(
    sql`select company_id, version from facet_updates order by applied_to, company_id limit ${limit}`,
  );
}

/**
 * Keeps the facet values of the company's next products. Returns whether products are left; false too where its fields have changed again,
 * another process is at it, or another transaction has locked the next product: it is tried again at the chore's next turn.
 */
export async function keepNext(
  tx: Tx,
  { company_id: companyId, version }: FacetUpdate,
  limit: number,
): Promise<boolean> {
  const [update] = await tx.query<{ applied_to: number }>(sql`
    select applied_to from facet_updates where company_id = ${companyId} and version = ${version} for update skip locked`);
  if (update === undefined) return false;
  const { ids, isLast } = await lockNext(tx, companyId, update.applied_to, limit, 'for no key update');
  // A statement of its own, after the locks: it sees what the transactions have written that had them before.
  await keepFacets(tx, companyId, ids);
  if (isLast) {
    await deleteUnfilterable(tx, companyId);
    await tx.query(sql`delete from facet_updates where company_id = ${companyId}`);
  } else if (ids.length > 0) {
    await tx.query(sql`update facet_updates set applied_to = ${ids.at(-1)} where company_id = ${companyId}`);
  }
  return ids.length > 0 && !isLast;
}

/**
 * Deletes the values of custom fields that are not filterable any more. No product has them by then, and none gets one meanwhile: a field
 * that becomes filterable waits for the row in `facet_updates`.
 */
async function deleteUnfilterable(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`
    delete from facet_values k
    where k.company_id = ${companyId} and k.key like 'custom.%' and not exists (
      select from custom_fields f
      where f.company_id = ${companyId} and f."on" in ('product', 'variant') and f.filterable and not f.deleted
        and k.key = 'custom.' || f.key)`);
}
