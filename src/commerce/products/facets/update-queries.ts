import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { firstOf } from '../../collections/member-queries.ts';
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
 * or another process is at it.
 */
export async function keepNext(
  tx: Tx,
  { company_id: companyId, version }: FacetUpdate,
  limit: number,
): Promise<boolean> {
  const [update] = await tx.query<{ applied_to: number }>(sql`
    select applied_to from facet_updates where company_id = ${companyId} and version = ${version} for update skip locked`);
  if (update === undefined) return false;
  const rows = await tx.query<{ id: number; variants: number }>(sql`
    select id, variant_count as variants from products
    where company_id = ${companyId} and id > ${update.applied_to} and variant_of is null order by id limit ${limit}
    for no key update`);
  const ids = firstOf(rows);
  // A statement of its own, after the locks: it sees what the transactions have written for which they waited.
  await keepFacets(tx, companyId, ids);
  const isDone = ids.length === rows.length && rows.length < limit;
  await tx.query(
    isDone
      ? sql`delete from facet_updates where company_id = ${companyId}`
      : sql`update facet_updates set applied_to = ${ids.at(-1)} where company_id = ${companyId}`,
  );
  return !isDone;
}
