import type { Tx } from '../../db/pool.ts';
import { joinSql, type Statement, sql } from '../../db/sql.ts';
import type { CustomFieldOwner } from './definition.ts';
import { RECORDS } from './queries.ts';

/**
 * Returns a query of the ids of at most `limit` records whose custom values show record p of the media library (an alias of `pictures`).
 * Only definitions of the type `media` are searched, each by an index of the values. The search is materialized because the planner
 * does not know how rare a value is, and would walk the table for the first `limit` records.
 */
export function recordsShowing(companyId: number, owners: readonly CustomFieldOwner[], limit: number): Statement {
  return joinSql(
    owners.map((on) => {
      const { table, condition } = RECORDS[on];
      return sql`
        (select shown.id
        from (
          select jsonb_build_object(f.key, case when f.list then jsonb_build_array(p.id) else to_jsonb(p.id) end) as wanted
          from custom_fields f
          where f.company_id = ${companyId} and f."on" = ${on} and f.type = 'media' and not f.deleted offset 0
        ) f
        cross join lateral (
          with found as materialized (
            select id from ${table} where company_id = ${companyId} and ${condition} and custom <> '{}' and custom @> f.wanted)
          select id from found limit ${limit}
        ) shown limit ${limit})`;
    }),
    ' union ',
  );
}

/**
 * Removes a record of the media library from custom values: at most `limit` records of each field, which it locks by ascending id. The
 * caller has locked the definitions.
 */
export async function removeMediaValues(
  tx: Tx,
  companyId: number,
  { id, limit, now }: { id: number; limit: number; now: Date },
): Promise<void> {
  const fields = await tx.query<{ on: CustomFieldOwner; key: string; list: boolean }>(sql`
    select "on", key, list from custom_fields
    where company_id = ${companyId} and type = 'media' and not deleted order by "on" desc, id`);
  for (const { on, key, list } of fields) {
    const { table, condition, update } = RECORDS[on];
    const shown = JSON.stringify({ [key]: list ? [id] : id });
    const left = list
      ? sql`coalesce((
          select jsonb_build_object(${key}::text, jsonb_agg(v.value order by v.n))
          from jsonb_array_elements(r.custom -> ${key}::text) with ordinality as v (value, n)
          where v.value <> to_jsonb(${id}::bigint) having count(*) > 0), '{}')`
      : sql`'{}'::jsonb`;
    await tx.query(sql`
      with found as materialized (
        select id from ${table}
        where company_id = ${companyId} and ${condition} and custom <> '{}' and custom @> ${shown}::jsonb
        order by id limit ${limit} for update
      )
      ${update} set custom = (r.custom - ${key}::text) || ${left}, updated_at = ${now}
      from found where r.company_id = ${companyId} and r.id = found.id`);
  }
}
