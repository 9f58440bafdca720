import type { Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';

/*
 * What products keep for filters and facets (docs/design/catalogue.md): the ids of their facet values, and those of their active variants,
 * in the column `facets` of simple products and parents.
 */

/** Of one product. Its options have 500 at most, so custom fields have room for the others. */
export const MAX_KEPT = 600;

/** In characters, of a value of a custom field, which is cut there. */
export const MAX_VALUE = 255;

/** The texts of `custom -> key`, of alias e: those of a list, or the only one; null where there is none. */
export const customTexts = (column: string, key: Statement): Statement => {
  const value = sql`(${rawSql(column)} -> ${key})`;
  return sql`jsonb_array_elements_text(
    case jsonb_typeof(${value}) when 'array' then ${value} else jsonb_build_array(${value}) end) as e (value)`;
};

/** What is kept of a text of alias e: a filter's texts have no blank at the end either. */
export const KEPT_TEXT = rawSql(`rtrim(left(e.value, ${MAX_VALUE}))`);

const FIELD_KEY = rawSql('f.key');

/**
 * Selects company_id, owner, key and value of what products have to keep. `owner` has company_id and id of parents and simple products.
 */
export const HELD = sql`
  select company_id, owner, key, value from (
    select company_id, owner, key, value,
      row_number() over (partition by company_id, owner order by key desc, value) as n
    from (
      select v.company_id, v.variant_of as owner, ('option:' || (o ->> 'name')) collate "C" as key, (o ->> 'value') collate "C" as value
      from owner w join products v on v.company_id = w.company_id and v.variant_of = w.id and v.archived_at is null
      cross join lateral jsonb_array_elements(v.options) o
      union all
      select p.company_id, p.id, ('custom.' || f.key) collate "C", ${KEPT_TEXT} collate "C"
      from owner w join products p on p.company_id = w.company_id and p.id = w.id and p.custom <> '{}'
      join custom_fields f on f.company_id = p.company_id and f."on" = 'product' and f.filterable and not f.deleted
      cross join lateral ${customTexts('p.custom', FIELD_KEY)}
      union all
      select v.company_id, v.variant_of, ('custom.' || f.key) collate "C", ${KEPT_TEXT} collate "C"
      from owner w
      join products v on v.company_id = w.company_id and v.variant_of = w.id and v.archived_at is null and v.custom <> '{}'
      join custom_fields f on f.company_id = v.company_id and f."on" = 'variant' and f.filterable and not f.deleted
      cross join lateral ${customTexts('v.custom', FIELD_KEY)}
    ) every
    where value is not null
    group by company_id, owner, key, value
  ) numbered
  where n <= ${rawSql(String(MAX_KEPT))}`;

/**
 * Keeps the facet values of products that the transaction has changed, created, or made variants or simple products. Their rows and those of
 * their parents are locked by then, so of two changes of one family the second sees what the first wrote. Values that no product has had are
 * inserted in the order of the unique key, so that two transactions with the same ones wait instead of ending in a deadlock.
 */
export async function keepFacets(tx: Tx, companyId: number, productIds: readonly number[]): Promise<void> {
  if (productIds.length === 0) return;
  await tx.query(sql`
    with owner as materialized (
      select distinct company_id, coalesce(variant_of, id) as id from products
      where company_id = ${companyId} and id = any(${[...productIds]}::bigint[])
    ),
    held as materialized (${HELD}),
    -- The update returns the id of a value that another transaction has inserted since this statement began.
    added as (
      insert into facet_values (company_id, key, value)
      select distinct ${companyId}::bigint, h.key, h.value from held h
      where not exists (
        select from facet_values k where k.company_id = ${companyId} and k.key = h.key and k.value = h.value)
      order by 2, 3
      on conflict (company_id, key, value) do update set value = excluded.value
      returning id, key, value
    ),
    known as (
      select k.id, k.key, k.value from (select distinct key, value from held) h
      join facet_values k on k.company_id = ${companyId} and k.key = h.key and k.value = h.value
      union all
      select id, key, value from added
    ),
    counted as (
      select w.id, coalesce(array_agg(k.id order by k.id) filter (where k.id is not null), '{}') as facets
      from owner w left join held h on h.owner = w.id left join known k on k.key = h.key and k.value = h.value
      group by w.id
    )
    update products p set facets = c.facets
    from counted c where p.company_id = ${companyId} and p.id = c.id and p.facets <> c.facets`);
}
