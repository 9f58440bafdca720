import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { RECORDS } from './queries.ts';

/** A custom field whose values are records of the media library. */
export interface MediaField {
  on: 'product' | 'variant' | 'collection';
  key: string;
  list: boolean;
}

/** Returns the fields of the catalogue. Those of customers and orders are not among what shows a record. */
export async function findMediaFields(db: Queryable, companyId: number): Promise<MediaField[]> {
  return db.query<MediaField>(sql`
    select "on", key, list from custom_fields
    where company_id = ${companyId} and type = 'media' and "on" in ('product', 'variant', 'collection') and not deleted
    order by id`);
}

/**
 * Returns queries, each preceded by `union`, of the ids of at most `limit` records whose values in a field show record p of the media
 * library (an alias of `pictures`). A search is materialized because the planner does not know how rare a value is, and would walk the
 * table for the first `limit` records.
 */
export function unionShowing(companyId: number, fields: readonly MediaField[], limit: number): Statement {
  if (fields.length === 0) return emptySql;
  const searches = fields.map(({ on, key, list }) => {
    const { table, condition } = RECORDS[on];
    const wanted = list ? rawSql('jsonb_build_array(p.id)') : rawSql('p.id');
    return sql`
      (with found as materialized (
        select id from ${table} where company_id = ${companyId} and ${condition} and custom <> '{}'
          and custom @> jsonb_build_object(${key}::text, ${wanted}))
      select id from found limit ${limit})`;
  });
  return sql`union ${joinSql(searches, ' union ')}`;
}

/** Removes a record of the media library from the values of records, which the caller has locked. */
export async function removeMediaValues(
  tx: Tx,
  companyId: number,
  fields: readonly MediaField[],
  { id, ids, now }: { id: number; ids: readonly number[]; now: Date },
): Promise<void> {
  for (const { on, key, list } of fields) {
    const { condition, update } = RECORDS[on];
    const shown = JSON.stringify({ [key]: list ? [id] : id });
    const left = list
      ? sql`coalesce((
          select jsonb_build_object(${key}::text, jsonb_agg(v.value order by v.n))
          from jsonb_array_elements(r.custom -> ${key}::text) with ordinality as v (value, n)
          where v.value <> to_jsonb(${id}::bigint) having count(*) > 0), '{}')`
      : rawSql("'{}'::jsonb");
    await tx.query(sql`
      ${update} set custom = (r.custom - ${key}::text) || ${left}, updated_at = ${now}
      where r.company_id = ${companyId} and r.id = any(${[...ids]}::bigint[]) and ${condition} and r.custom @> ${shown}::jsonb`);
  }
}
