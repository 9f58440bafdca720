import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Shop } from '../shop.ts';
import type { CustomField, ReferenceType } from './definition.ts';
import { contextOf, type Definitions, type ValueContext } from './values.ts';

/**
 * Until COMMIT, definitions stay as they are: every transaction that stores values takes it before other locks (or without waiting, see
 * below), and reads the definitions in a later statement. Those that change definitions wait for it.
 */
export async function lockDefinitionsShared(tx: Queryable, companyId: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(hashtextextended('custom fields', ${companyId}))`);
}

/** The same without waiting, so that it may come after other locks. Returns whether it has the lock. */
export async function tryLockDefinitionsShared(tx: Queryable, companyId: number): Promise<boolean> {
  const rows = await tx.query<{ locked: boolean }>(sql`
    select pg_try_advisory_xact_lock_shared(hashtextextended('custom fields', ${companyId})) as locked`);
  return rows[0]!.locked;
}

/**
 * Reads what values are checked against, in a transaction that stores them, before it takes other locks.
 * @param given values of records by key
 */
export async function readDefinitions(
  tx: Queryable,
  companyId: number,
  given: readonly (Readonly<Record<string, unknown>> | undefined)[],
): Promise<Definitions> {
  const values = given.flatMap((custom) => Object.values(custom ?? {})).flat();
  const ids = [...new Set(values.filter((value) => Number.isSafeInteger(value)))] as number[];
  // Sent in this order on one connection.
  const [, fields, references] = await Promise.all([
    lockDefinitionsShared(tx, companyId),
    findFields(tx, companyId),
    ids.length === 0 ? [] : findReferences(tx, companyId, ids),
  ]);
  return { fields, references };
}

/** Returns what the values of requests (their members `custom`) are checked against. Without values, no statement is sent. */
export async function valueContext(
  tx: Queryable,
  shop: Shop,
  given: readonly (Readonly<Record<string, unknown>> | undefined)[],
): Promise<ValueContext> {
  const isNeeded = given.some((custom) => custom !== undefined && Object.keys(custom).length > 0);
  return contextOf(shop, isNeeded ? await readDefinitions(tx, shop.companyId, given) : null);
}

/** The same for transactions that move stored values from one kind of record to another, or store those of a file. */
export async function lockedContext(
  tx: Queryable,
  shop: Shop,
  given: readonly (Readonly<Record<string, unknown>> | undefined)[] = [],
): Promise<ValueContext> {
  return contextOf(shop, await readDefinitions(tx, shop.companyId, given));
}

/** Returns all definitions, by position. */
async function findFields(db: Queryable, companyId: number): Promise<CustomField[]> {
  return db.query<CustomField>(sql`
    select f.id, f."on", f.key, f.name, f.type, f.list, f.required, f.rules, f.visible, f.filterable, f.position
    from custom_fields f where f.company_id = ${companyId} and not f.deleted order by f.position, f.id`);
}

/** Returns what rules of collections need to know of the fields of products and variants. */
export async function findProductFields(
  db: Queryable,
  companyId: number,
): Promise<Pick<CustomField, 'on' | 'key' | 'type'>[]> {
  return db.query<Pick<CustomField, 'on' | 'key' | 'type'>>(sql`
    select "on", key, type from custom_fields
    where company_id = ${companyId} and "on" in ('product', 'variant') and not deleted order by position, id`);
}

/** Returns which of the ids are records, by type. */
async function findReferences(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<{ type: ReferenceType; id: number }[]> {
  return db.query<{ type: ReferenceType; id: number }>(sql`
    select 'media' as type, id from pictures where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and keep
    union all
    select 'product', id from products where company_id = ${companyId} and id = any(${[...ids]}::bigint[])
    union all
    select 'collection', id from collections where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
}
