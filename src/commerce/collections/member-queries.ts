import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import type { RuleGroup } from '../../rules/language.ts';
import { findProductFields } from '../custom-fields/context.ts';
import { lockNext } from '../products/next-products.ts';
import { productRulesSql, RULE_COLUMNS } from './compile.ts';
import type { CollectionSort } from './contract.ts';
import type { RuleField } from './custom-rules.ts';
import { customKeysOf } from './rules.ts';
import type { Updating } from './update-queries.ts';

/*
 * The members of collections (docs/design/catalogue.md). Whoever writes them has locked the products: a change of a product has, and the
 * others lock them here. Collections are locked after products.
 */

/** Rules, and what they depend on. */
export interface AppliedRules {
  rules: RuleGroup;
  rules_at: Date;
  /** Of the company's currency: the number of its decimals. */
  exponent: number;
  /** The company's custom fields, where the rules are on such fields. */
  fields: readonly RuleField[];
}

/** A collection with rules. */
export interface RuleCollection extends AppliedRules {
  id: number;
}

/** Adds the company's custom fields to collections with rules on such fields, for which alone they are read. */
export async function withFields<Row extends Pick<RuleCollection, 'rules'>>(
  db: Queryable,
  companyId: number,
  rows: readonly Row[],
): Promise<(Row & Pick<RuleCollection, 'fields'>)[]> {
  const fields = rows.some(({ rules }) => customKeysOf(rules).length > 0) ? await findProductFields(db, companyId) : [];
  return rows.map((row) => ({ ...row, fields }));
}

/** Collections whose rules one statement applies. */
const AT_ONCE = 100;

const RULE_COLUMNS_OF = (alias: string): Statement =>
  rawSql(RULE_COLUMNS.map((column) => `${alias}.${column}`).join(', '));

/**
 * The products that `ids` selects, each as itself and as each of its active variants; with the custom values that rules are on. Only those
 * are taken along, because each look at a large value decompresses it again.
 */
function candidates(companyId: number, ids: Statement, { rules }: { rules: readonly RuleGroup[] }): Statement {
  const keys = [...new Set(rules.flatMap(customKeysOf))];
  const valuesIn = (alias: string): Statement =>
    sql`(select jsonb_object_agg(key, value) from jsonb_each(${rawSql(alias)}.custom) where key = any(${keys}::text[]))`;
  return sql`
    select p.id as owner, ${RULE_COLUMNS_OF('p')}
      ${keys.length > 0 ? sql`, ${valuesIn('p')} as product_custom, null::jsonb as variant_custom` : emptySql}
    from products p where p.company_id = ${companyId} and p.id in (${ids})
    union all
    select v.variant_of, ${RULE_COLUMNS_OF('v')} ${keys.length > 0 ? sql`, ${valuesIn('q')}, ${valuesIn('v')}` : emptySql}
    from products v ${keys.length > 0 ? rawSql('join products q on q.company_id = v.company_id and q.id = v.variant_of') : emptySql}
    where v.company_id = ${companyId} and v.variant_of in (${ids}) and v.archived_at is null`;
}

function conditionOf({ rules, rules_at: now, exponent, fields }: AppliedRules): Statement {
  return productRulesSql(rules, { now, divisor: 10 ** exponent, fields });
}

/** Pairs of collection_id and product_id for what the rules of the collections select, from `candidates` with the alias p. */
function selected(collections: readonly RuleCollection[]): Statement {
  const rules = collections.map((collection) => sql`(${collection.id}::bigint, ${conditionOf(collection)})`);
  return sql`
    select distinct k.collection_id, p.owner as product_id
    from candidate p cross join lateral (values ${joinSql(rules, ', ')}) as k (collection_id, holds) where k.holds`;
}

/** Puts products into those of the collections whose rules select them, and takes them out of the others. */
async function applyRules(
  tx: Tx,
  companyId: number,
  collections: readonly RuleCollection[],
  productIds: readonly number[],
): Promise<void> {
  const of = collections.map(({ id }) => id);
  const rules = collections.map((collection) => collection.rules);
  await tx.query(
    unprepared(sql`
    with owner as materialized (
      select distinct coalesce(variant_of, id) as id from products
      where company_id = ${companyId} and id = any(${[...productIds]}::bigint[])
    ),
    candidate as materialized (${candidates(companyId, rawSql('select id from owner'), { rules })}),
    selected as materialized (${selected(collections)}),
    gone as (
      delete from collection_products m
      where m.company_id = ${companyId} and m.collection_id = any(${of}::bigint[])
        and m.product_id = any(array(select id from owner) || ${[...productIds]}::bigint[])
        and not exists (select from selected s where s.collection_id = m.collection_id and s.product_id = m.product_id)
    ),
    fresh as materialized (
      select * from selected s where not exists (
        select from collection_products m
        where m.company_id = ${companyId} and m.collection_id = s.collection_id and m.product_id = s.product_id)
    ),
    -- Leaves out collections that are deleted meanwhile.
    existing as materialized (
      select c.id from collections c
      where c.company_id = ${companyId} and c.id in (select collection_id from fresh) order by c.id for key share
    )
    insert into collection_products (company_id, collection_id, product_id)
    select ${companyId}, f.collection_id, f.product_id from fresh f join existing e on e.id = f.collection_id
    on conflict do nothing`),
  );
}

/**
 * Applies the rules of the company's collections to products that the transaction has changed, created, or made variants or simple
 * products, and whose rows it has therefore locked. One statement in a company without such collections, and one more with rules on custom fields.
 */
export async function updateMemberships(tx: Tx, companyId: number, productIds: readonly number[]): Promise<void> {
  if (productIds.length === 0) return;
  const rows = await tx.query<Omit<RuleCollection, 'fields'>>(sql`
    select c.id, c.rules, c.rules_at, k.currency_exponent as exponent
    from collections c join companies k on k.company_id = c.company_id
    where c.company_id = ${companyId} and c.kind = 'rules' order by c.id`);
  const collections = await withFields(tx, companyId, rows);
  for (let start = 0; start < collections.length; start += AT_ONCE) {
    await applyRules(tx, companyId, collections.slice(start, start + AT_ONCE), productIds);
  }
}

/** Removes products from all collections, before they are deleted. */
export async function removeFromCollections(tx: Tx, companyId: number, productIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    delete from collection_products where company_id = ${companyId} and product_id = any(${[...productIds]}::bigint[])`);
}

/**
 * Removes products from all collections; in lists, the others take the place of the first of the products that is listed. The caller has
 * locked all of them, and calls `updateMemberships`.
 */
export async function replaceInCollections(
  tx: Tx,
  companyId: number,
  products: readonly number[],
  others: readonly number[],
): Promise<void> {
  const lists = await tx.query<{ id: number }>(sql`
    select c.id from collections c
    where c.company_id = ${companyId} and c.kind = 'manual' and c.id in (
      select collection_id from collection_products
      where company_id = ${companyId} and product_id = any(${[...products]}::bigint[]))
    order by c.id for no key update`);
  if (lists.length > 0) {
    await tx.query(sql`
      with affected as materialized (
        select m.collection_id, (array_agg(m.position order by g.n))[1] as place
        from unnest(${[...products]}::bigint[]) with ordinality as g (id, n)
        join collection_products m on m.company_id = ${companyId} and m.product_id = g.id
        where m.collection_id = any(${lists.map(({ id }) => id)}::bigint[])
        group by m.collection_id
      ),
      listed as (
        select m.collection_id, m.product_id, m.position, 0 as n
        from affected a join collection_products m on m.company_id = ${companyId} and m.collection_id = a.collection_id
        where m.product_id <> all(${[...products, ...others]}::bigint[])
        union all
        select a.collection_id, o.id, a.place, o.n
        from affected a cross join unnest(${[...others]}::bigint[]) with ordinality as o (id, n)
      )
      insert into collection_products as m (company_id, collection_id, product_id, position)
      select ${companyId}, collection_id, product_id, row_number() over (partition by collection_id order by position, n) from listed
      on conflict (company_id, collection_id, product_id) do update set position = excluded.position
        where m.position <> excluded.position`);
  }
  await removeFromCollections(tx, companyId, products);
}

/** Locks products against changes, by ascending id and parents last, as orders do that sell out variants. Unknown ids are left out. */
export async function lockMembers(
  tx: Tx,
  companyId: number,
  productIds: readonly number[],
): Promise<Map<number, { isVariant: boolean }>> {
  const rows = await tx.query<{ id: number; is_variant: boolean }>(sql`
    select id, variant_of is not null as is_variant from products
    where company_id = ${companyId} and id = any(${[...productIds]}::bigint[]) order by variant_count > 0, id for share`);
  return new Map(rows.map(({ id, is_variant }) => [id, { isVariant: is_variant }]));
}

/** Sets the list of a manual collection. The caller has locked the products, then the collection. */
export async function setMembers(
  tx: Tx,
  companyId: number,
  collectionId: number,
  productIds: readonly number[],
): Promise<void> {
  await tx.query(sql`
    delete from collection_products
    where company_id = ${companyId} and collection_id = ${collectionId} and product_id <> all(${[...productIds]}::bigint[])`);
  await tx.query(sql`
    insert into collection_products as m (company_id, collection_id, product_id, position)
    select ${companyId}, ${collectionId}, id, n from unnest(${[...productIds]}::bigint[]) with ordinality as g (id, n)
    on conflict (company_id, collection_id, product_id) do update set position = excluded.position
      where m.position <> excluded.position`);
}

/** Returns the ids and the orders of the collections with the slugs. */
export async function findCollectionOrders(
  db: Queryable,
  companyId: number,
  slugs: readonly string[],
): Promise<{ id: number; sort: CollectionSort }[]> {
  return db.query<{ id: number; sort: CollectionSort }>(sql`
    select id, sort from collections where company_id = ${companyId} and slug = any(${[...slugs]}::text[])`);
}

/** Returns the list of a manual collection. */
export async function findMembers(db: Queryable, companyId: number, collectionId: number): Promise<number[]> {
  const rows = await db.query<{ product_id: number }>(sql`
    select product_id from collection_products
    where company_id = ${companyId} and collection_id = ${collectionId} and position is not null order by position, product_id`);
  return rows.map(({ product_id }) => product_id);
}

/** Returns how many products rules select, variants counted as their parents. */
export async function countSelected(db: Queryable, companyId: number, applied: AppliedRules): Promise<number> {
  const ids = sql`select id from products where company_id = ${companyId} and variant_of is null`;
  const rows = await db.query<{ n: number }>(
    unprepared(sql`
      select count(distinct p.owner)::int as n
      from (${candidates(companyId, ids, { rules: [applied.rules] })}) p where ${conditionOf(applied)}`),
  );
  return rows[0]!.n;
}

/** Returns differences between the members of a collection and what its rules select, unless they change meanwhile. */
export async function findWrongMembers(
  db: Queryable,
  companyId: number,
  { rules_version, ...collection }: RuleCollection & { rules_version: number },
  limit: number,
): Promise<number[]> {
  const ids = sql`select id from products where company_id = ${companyId} and variant_of is null`;
  const rows = await db.query<{ product_id: number }>(
    unprepared(sql`
      with selected as materialized (
        select distinct p.owner as id
        from (${candidates(companyId, ids, { rules: [collection.rules] })}) p where ${conditionOf(collection)}
      ),
      member as (
        select product_id as id from collection_products where company_id = ${companyId} and collection_id = ${collection.id}
      )
      select coalesce(s.id, m.id) as product_id from selected s full join member m on m.id = s.id
      where (s.id is null or m.id is null) and exists (
        select from collections c where c.company_id = ${companyId} and c.id = ${collection.id} and not c.updating
          and c.rules_version = ${rules_version})
      limit ${limit}`),
  );
  return rows.map(({ product_id }) => product_id);
}

/**
 * Applies the rules of a collection to its next products. Returns whether products are left; false too where the rules have changed,
 * another process is at it, or another transaction has locked the next product: it is tried again at the chore's next turn.
 */
export async function applyToNext(
  tx: Tx,
  { company_id: companyId, id, rules_version }: Updating,
  limit: number,
): Promise<boolean> {
  const rows = await tx.query<Omit<RuleCollection, 'fields'> & { applied_to: number }>(sql`
    select c.id, c.rules, c.rules_at, c.applied_to, k.currency_exponent as exponent
    from collections c join companies k on k.company_id = c.company_id
    where c.company_id = ${companyId} and c.id = ${id} and c.updating and c.rules_version = ${rules_version}
    for no key update of c skip locked`);
  const [collection] = await withFields(tx, companyId, rows);
  if (collection === undefined) return false;
  const { ids, isLast } = await lockNext(tx, companyId, collection.applied_to, limit, 'for share');
  // A statement of its own, after the locks: it sees what the transactions have written that had them before.
  if (ids.length > 0) await applyRules(tx, companyId, [collection], ids);
  if (ids.length > 0 || isLast) {
    await tx.query(sql`
      update collections set applied_to = ${ids.at(-1) ?? collection.applied_to}, updating = ${!isLast}
      where company_id = ${companyId} and id = ${id}`);
  }
  return ids.length > 0 && !isLast;
}
