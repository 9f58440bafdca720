import type { Queryable } from '../../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql, unprepared } from '../../../db/sql.ts';
import { MAX_FACET_VALUES } from '../contract.ts';
import { listedProducts, type ProductFilters } from '../list-queries.ts';
import { type FacetKey, keyOf } from './filters.ts';
import { MAX_KEPT } from './keep-queries.ts';

/** A filterable custom field, on products, variants or both. */
export interface FilterableField {
  key: string;
  name: string;
  type: string;
}

/** Returns those with one of the keys. */
export async function findFilterable(
  db: Queryable,
  companyId: number,
  keys: readonly string[],
): Promise<FilterableField[]> {
  return db.query<FilterableField>(sql`
    select distinct on (key) key, name, type from custom_fields
    where company_id = ${companyId} and "on" in ('product', 'variant') and filterable and not deleted
      and key = any(${[...keys]}::text[])
    order by key, "on"`);
}

/** Returns the ids of values that exist. */
export async function findValueIds(
  db: Queryable,
  companyId: number,
  values: readonly { key: string; value: string }[],
): Promise<{ id: number; key: string; value: string }[]> {
  return db.query<{ id: number; key: string; value: string }>(sql`
    select k.id, k.key, k.value from unnest(${values.map(({ key }) => key)}::text[], ${values.map(({ value }) => value)}::text[]) as g (key, value)
    join facet_values k on k.company_id = ${companyId} and k.key = g.key and k.value = g.value`);
}

/** Of more products than this, the newest are counted. */
export const MAX_COUNTED = 20_000;

export interface CountedValue {
  value: string;
  label: string;
  count: number;
}

export interface FacetCounts {
  /** How many products were counted. */
  counted: number;
  /** Whether one of them may have more values than it keeps. */
  cut: boolean;
  /** In minor units; null without products. */
  min: number | null;
  max: number | null;
  /** The most frequent values of each facet by its key, the most frequent first. */
  values: Record<string, CountedValue[]>;
}

/** Counts the values that the newest products under the filters have of the facets. */
export async function countValues(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  facets: readonly FacetKey[],
): Promise<FacetCounts> {
  const keys = facets.filter(({ of }) => of === 'option' || of === 'custom').map(keyOf);
  const asked = (of: FacetKey['of']): boolean => facets.some((facet) => facet.of === of);
  const values = [
    ...(keys.length > 0 ? [keptValues(companyId, keys)] : []),
    ...(asked('in_stock') ? [STOCK_VALUES] : []),
    ...(asked('category') ? [categoryValues(companyId)] : []),
    ...(asked('collection') ? [collectionValues(companyId)] : []),
  ];
  const listed = sql`
    select p.id, p.price, p.in_stock, ${rawSql(keys.length > 0 ? 'p.facets' : "'{}'::int[]")} as facets
    ${listedProducts(companyId, filters)} order by p.id desc limit ${rawSql(String(MAX_COUNTED))}`;
  const rows = await db.query<FacetCounts>(
    // Planned each time: how many products the filters leave decides which index is the best.
    unprepared(sql`
      with listed as (${listed}),
      -- Many products have the same values.
      alike as materialized (
        select facets, in_stock, count(*) as n, min(price) as min, max(price) as max from listed group by facets, in_stock
      )
      select (select coalesce(sum(n), 0) from alike)::int as counted, (select coalesce(bool_or(cardinality(facets) >= ${rawSql(String(MAX_KEPT))}), false) from alike) as cut,
        (select min(min) from alike) as min, (select max(max) from alike) as max,
        ${values.length === 0 ? rawSql("'{}'::json") : valuesByKey(values)} as values`),
  );
  return rows[0]!;
}

/** The first values of each key, as JSON. `values` select key, value, label and n. */
function valuesByKey(values: readonly Statement[]): Statement {
  return sql`(
    select coalesce(json_object_agg(key, list), '{}'::json) from (
      select key, json_agg(json_build_object('value', value, 'label', label, 'count', n) order by place) as list
      from (
        select key, value, label, n, row_number() over (partition by key order by n desc, value collate "C") as place
        from (${joinSql(values, ' union all ')}) counted (key, value, label, n)
      ) placed
      where place <= ${rawSql(String(MAX_FACET_VALUES))} group by key
    ) lists)`;
}

function keptValues(companyId: number, keys: readonly string[]): Statement {
  return sql`
    select k.key, k.value, k.value as label, f.n
    from (select id, sum(n) as n from alike cross join lateral unnest(facets) as id group by id) f
    join facet_values k on k.company_id = ${companyId} and k.id = f.id
    where k.key = any(${[...keys]}::text[])`;
}

const STOCK_VALUES = rawSql(`
    select 'in_stock', in_stock::text, in_stock::text, sum(n) from alike group by in_stock`);

/** Rows of newer products alone are read, so the index by product reads few others. */
const NEWEST = rawSql('(select min(id) from listed)');

function categoryValues(companyId: number): Statement {
  return sql`
    select 'category', c.slug, c.name, g.n from (
      select pc.slug, count(*) as n from listed l
      join product_categories pc on pc.company_id = ${companyId} and pc.product_id = l.id and pc.product_id >= ${NEWEST}
      group by pc.slug
    ) g join categories c on c.company_id = ${companyId} and c.slug = g.slug`;
}

function collectionValues(companyId: number): Statement {
  return sql`
    select 'collection', c.slug, c.name, g.n from (
      select cp.collection_id, count(*) as n from listed l
      join collection_products cp on cp.company_id = ${companyId} and cp.product_id = l.id and cp.product_id >= ${NEWEST}
      group by cp.collection_id
    ) g join collections c on c.company_id = ${companyId} and c.id = g.collection_id`;
}
