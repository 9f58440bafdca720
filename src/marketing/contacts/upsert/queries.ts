import type { Queryable, Tx } from '../../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql, unprepared } from '../../../db/sql.ts';
import type { Membership } from '../../lists/membership.ts';
import { lockAllKeys, lockKeys } from '../lock-queries.ts';
import { type ContactRow, columns } from '../queries.ts';
import type { ContactUpsert } from './plan.ts';

/**
 * The maximum number of key locks in one transaction; a larger bulk upsert locks all keys at once. PostgreSQL's lock table is
 * small (6,400 entries by default), and all connections share it.
 */
const MAX_KEY_LOCKS = 200;

/**
 * Finds the contacts that currently have keys of the upserts, with the fields that any upsert sets; takes no locks. If a contact is
 * erased before COMMIT, whatever the transaction writes for it is erased as well (see src/erasure/process.ts).
 */
export function findHolders(tx: Tx, companyId: number, upserts: ContactUpsert[]): Promise<KnownContact[]> {
  const fields = KNOWN_FIELDS.filter((field) => upserts.some(({ patch }) => patch[field] !== undefined));
  return findKnownContacts(tx, companyId, contactKeys(upserts), fields);
}

/** @param keys must be sorted: every transaction locks keys in this order */
export async function lockKeysInOrder(tx: Tx, companyId: number, keys: string[]): Promise<void> {
  if (keys.length > MAX_KEY_LOCKS) await lockAllKeys(tx, companyId);
  else if (keys.length > 0) await lockKeys(tx, companyId, keys);
}

export function contactKeys(upserts: ContactUpsert[]): ContactKeys {
  const given = <T>(read: (upsert: ContactUpsert) => T | null | undefined): T[] => {
    const values = new Set<T>();
    for (const upsert of upserts) {
      const value = read(upsert);
      if (value !== null && value !== undefined) values.add(value);
    }
    return [...values];
  };
  return {
    ids: [...given((upsert) => upsert.contactId), ...upserts.flatMap(({ merges = [] }) => merges)],
    externalIds: [
      ...new Set([...given((upsert) => upsert.patch.external_id), ...upserts.flatMap(({ absorbs = [] }) => absorbs)]),
    ],
    emails: given((upsert) => upsert.patch.email),
    phones: given((upsert) => upsert.patch.phone),
  };
}

interface ContactKeys {
  ids: number[];
  externalIds: string[];
  emails: string[];
  phones: string[];
}

/** Whether the company has any suppression; if not, addresses need no check. Call it after the keys are locked. */
export async function hasSuppressions(tx: Tx, companyId: number): Promise<boolean> {
  const rows = await tx.query<{ suppresses: boolean }>(sql`
    select exists (select from suppressions where company_id = ${companyId}) as suppresses`);
  return rows[0]!.suppresses;
}

/** Contacts with any of the keys, locked in the order of their ids. */
export function lockContactsByKeys(tx: Tx, companyId: number, keys: ContactKeys): Promise<ContactRow[]> {
  return tx.query<ContactRow>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and ${haveAny(companyId, keys)}
    order by c.id for no key update`);
}

/** The same without locks. */
export function findContactsByKeys(db: Queryable, companyId: number, keys: ContactKeys): Promise<ContactRow[]> {
  return db.query<ContactRow>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and ${haveAny(companyId, keys)} order by c.id`);
}

/** The fields of a contact that events may carry. */
export const KNOWN_FIELDS = ['external_id', 'email', 'phone', 'first_name', 'last_name'] as const;
type KnownField = (typeof KNOWN_FIELDS)[number];

/** A contact with only the requested fields: at 1,000 events a second, the number of columns matters. */
export type KnownContact = Pick<ContactRow, 'id'> & Partial<Pick<ContactRow, KnownField>>;

/** Contacts with any of the keys, unordered and without locks. */
function findKnownContacts(
  db: Queryable,
  companyId: number,
  keys: ContactKeys,
  fields: readonly KnownField[],
): Promise<KnownContact[]> {
  const columns = rawSql(['id', ...fields].map((field) => `c.${field}`).join(', '));
  return db.query<KnownContact>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and ${haveAny(companyId, keys)}`);
}

/** With this many keys in a statement, each is looked up separately. */
const MANY_KEYS = 100;

/**
 * Whether the company's contact `c` has one of the keys. The condition has only the kinds of keys that are given: a look-up by one kind
 * has a cached plan, whereas one by four kinds would be planned each time.
 */
function haveAny(companyId: number, keys: ContactKeys): Statement {
  const { ids, externalIds, emails, phones } = keys;
  if (externalIds.length + emails.length + phones.length >= MANY_KEYS) return foundByEach(companyId, keys);
  const conditions: Statement[] = [];
  if (ids.length > 0) conditions.push(sql`c.id = any(${ids}::bigint[])`);
  if (externalIds.length > 0) conditions.push(sql`c.external_id = any(${externalIds}::text[])`);
  if (emails.length > 0) conditions.push(sql`c.email = any(${emails}::text[])`);
  if (phones.length > 0) conditions.push(sql`c.phone = any(${phones}::text[])`);
  return conditions.length === 0 ? rawSql('false') : sql`(${joinSql(conditions, ' or ')})`;
}

/**
 * The same with a separate index look-up for each key. Until a growing table is analyzed, the planner assumes that the company is nearly
 * empty and would read all of its contacts for each batch of an import. Planned each time (0.3 ms): a cached plan made while the table
 * was empty would do so for each key.
 */
function foundByEach(companyId: number, { ids, externalIds, emails, phones }: ContactKeys): Statement {
  const found = (column: 'external_id' | 'email' | 'phone', keys: string[]): Statement => sql`
    select f.id from unnest(${keys}::text[]) k cross join lateral (
      select id from contacts where company_id = ${companyId} and ${rawSql(column)} = k limit 1) f`;
  const parts = [sql`select unnest(${ids}::bigint[])`];
  if (externalIds.length > 0) parts.push(found('external_id', externalIds));
  if (emails.length > 0) parts.push(found('email', emails));
  if (phones.length > 0) parts.push(found('phone', phones));
  return unprepared(sql`c.id = any(array(${joinSql(parts, ' union all ')}))`);
}

/** Memberships of the contacts with any of the keys, by list. */
export function findMembershipsByKeys(
  db: Queryable,
  companyId: number,
  keys: ContactKeys,
): Promise<(Membership & { contact_id: number })[]> {
  return db.query(sql`
    select m.contact_id, m.list_id, m.status
    from contacts c
    join list_memberships m on m.company_id = c.company_id and m.contact_id = c.id
    join lists l on l.company_id = m.company_id and l.id = m.list_id
    where c.company_id = ${companyId} and ${haveAny(companyId, keys)} and l.deleted_at is null
    order by m.list_id`);
}
