import { rawSql, type Statement, sql } from '../../db/sql.ts';
import type { Rule } from '../../rules/language.ts';
import { idReading, predicateSql, textReading } from '../../rules/predicates.ts';
import type { Bought } from './fields.ts';
import type { Compiling } from './selection.ts';

/*
 * What contacts bought, by the items of their orders' events. Products and collections are those of the shop at the moment: a product that
 * became a variant, or came into a collection, after it was bought counts. Ids that the shop does not have are compared as they are.
 */

const NAMES = { categories: rawSql("'$.items[*].categories[*]'"), skus: rawSql("'$.items[*].sku'") };

/** Selects the contacts who bought something that satisfies the rule, a positive comparison. `orders` are events, with the alias e. */
export function selectBought(compiling: Compiling, bought: Bought, rule: Rule, orders: Statement): Statement {
  const { companyId, now } = compiling;
  switch (bought) {
    case 'product_ids':
      return sql`
        select contact_id from (${itemsOf(orders)}) sold
        where ${predicateSql(rule, PRODUCT, now)} or ${predicateSql(rule, PARENT, now)} or product_id in (
          select v.id::text from products v where v.company_id = ${companyId} and ${predicateSql(rule, VARIANT_OF, now)})`;
    case 'collection_ids':
      return compiling.among === undefined
        ? sql`
          with member as materialized (
            select m.product_id as id from collection_products m
            where m.company_id = ${companyId} and ${predicateSql(rule, COLLECTION, now)}
          ),
          sellable (id) as materialized (
            select id::text from member
            union all
            select v.id::text from member m join products v on v.company_id = ${companyId} and v.variant_of = m.id
          )
          select contact_id from (${itemsOf(orders)}) sold
          where product_id in (select id from sellable) or parent_id in (select id from sellable)`
        : selectByItems(companyId, predicateSql(rule, COLLECTION, now), orders);
    default:
      return sql`
        select contact_id from (${namesOf(bought, orders)}) sold
        where ${predicateSql(rule, textReading(rawSql('name')), now)}`;
  }
}

/**
 * Looks up whether collections contain what few contacts bought, as a collection may contain far more. Because of the array, products are
 * found by id, however many items the database expects.
 */
function selectByItems(companyId: number, isWanted: Statement, orders: Statement): Statement {
  return sql`
    with sold as materialized (${shopIdsOf(orders)}),
    wanted (id) as materialized (
      select p.id from products p
      where p.company_id = ${companyId} and p.id = any(array(select distinct id from sold)) and exists (
        select from collection_products m
        where m.company_id = ${companyId} and m.product_id in (p.id, p.variant_of) and ${isWanted})
    )
    select contact_id from sold where id in (select id from wanted)`;
}

/** The values that rules on it compare, as a jsonb array. */
export function boughtJson({ companyId }: Compiling, bought: Bought, orders: Statement): Statement {
  if (bought === 'categories' || bought === 'skus') return listed('name', namesOf(bought, orders));
  const products = sql`select id from (${shopIdsOf(orders)}) sold`;
  const withParents = sql`
    select id from (${products}) sold where id is not null
    union
    select p.variant_of from products p
    where p.company_id = ${companyId} and p.id = any(array(${products})) and p.variant_of is not null`;
  if (bought === 'product_ids') return listed('id', withParents);
  return listed(
    'collection_id',
    sql`select m.collection_id from collection_products m
      where m.company_id = ${companyId} and m.product_id = any(array(${withParents}))`,
  );
}

function listed(column: string, rows: Statement): Statement {
  const value = rawSql(column);
  return sql`(select coalesce(jsonb_agg(distinct ${value}), '[]') from (${rows}) bought where ${value} is not null)`;
}

/** The ids are texts: the events of other shops may have any. */
function itemsOf(orders: Statement): Statement {
  return sql`
    select contact_id, item ->> 'product_id' as product_id, item ->> 'parent_id' as parent_id
    from (select contact_id, jsonb_path_query(e.data, '$.items[*]') as item from ${orders}) items`;
}

/** The ids of items and of their parents as numbers; null for texts that are no id as the shop writes it, as `007`. */
function shopIdsOf(orders: Statement): Statement {
  return sql`
    select contact_id, (case when id ~ '^(0|[1-9][0-9]{0,14})$' then id::bigint end) as id
    from (${itemsOf(orders)}) items cross join lateral (values (product_id), (parent_id)) ids (id)`;
}

function namesOf(bought: keyof typeof NAMES, orders: Statement): Statement {
  return sql`select contact_id, jsonb_path_query(e.data, ${NAMES[bought]}) #>> '{}' as name from ${orders}`;
}

const PRODUCT = textReading(rawSql('product_id'));
const PARENT = textReading(rawSql('parent_id'));
const VARIANT_OF = idReading('v.variant_of');
const COLLECTION = idReading('m.collection_id');
