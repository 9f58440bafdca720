import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Queryable, Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { isAddress, withoutKeys } from './audit-addresses.ts';
import { type PersonalValues, storePersonalValues } from './audit-values.ts';

/** One administrative action. `details` must not contain secrets. */
export interface AuditEntry {
  at: Date;
  /** `cli`, `admin:7`, `key:till`. */
  actor: string;
  /** `key.create`, `company.create` … */
  action: string;
  target: string;
  details?: Record<string, unknown>;
  /** Data that an erasure must delete: the log itself keeps only its hash, which proves the values as long as they exist. */
  personal?: PersonalValues;
}

/** Connects a person's request with an entry that its transaction may write on its own. */
export interface EntryFollower {
  /** Whether the transaction has written an entry. */
  written: boolean;
  /** The previous record, without secrets or data about a shop's customers. */
  before: Record<string, unknown> | null;
}

const followers = new WeakMap<Tx, EntryFollower>();

export function followEntries(tx: Tx, follower: EntryFollower): void {
  followers.set(tx, follower);
}

interface AuditRow {
  id: number;
  at: Date;
  actor: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
  hash: Buffer;
}

/** Appends to the company's log, in the transaction of the action. Each row's hash covers the previous row's hash. */
export async function recordAuditEntry(tx: Tx, companyId: number, entry: AuditEntry): Promise<void> {
  // Serialises the writers of one company, so that ids and hashes form one chain.
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('audit', ${companyId}))`);
  const follower = followers.get(tx);
  if (follower !== undefined) follower.written = true;
  const [last] = await tx.query<{ id: number; hash: Buffer }>(sql`
    select id, hash from audit_log where company_id = ${companyId} order by id desc limit 1`);
  const id = (last?.id ?? 0) + 1;
  const values = entry.personal === undefined ? null : await storePersonalValues(tx, companyId, id, entry.personal);
  const details =
    values === null ? withBefore(entry.details ?? {}, follower?.before ?? null) : { ...entry.details, values };
  const row = {
    id,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    details: withoutKeysOfAddresses(details),
  };
  const hash = seal(row, last?.hash ?? null);
  await tx.query(sql`
    insert into audit_log (company_id, id, at, actor, action, target, details, previous_hash, hash)
    values (${companyId}, ${row.id}, ${row.at}, ${row.actor}, ${row.action}, ${row.target}, ${row.details},
      ${last?.hash ?? null}, ${hash})`);
}

function withoutKeysOfAddresses(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => {
      if (typeof value === 'string' && isAddress(name)) return [name, withoutKeys(value)];
      const isRecord = name === 'before' && typeof value === 'object' && value !== null;
      return [name, isRecord ? withoutKeysOfAddresses(value as Record<string, unknown>) : value];
    }),
  );
}

/** Adds the previous values of the fields in `details` that changed; all of them if `details` is empty. */
function withBefore(details: Record<string, unknown>, record: Record<string, unknown> | null): Record<string, unknown> {
  if (record === null || details.before !== undefined) return details;
  const names = Object.keys(details);
  const isChanged = (name: string): boolean =>
    name in record && JSON.stringify(record[name]) !== JSON.stringify(details[name]);
  const shown = names.length === 0 ? Object.keys(record) : names.filter(isChanged);
  return shown.length === 0
    ? details
    : { ...details, before: Object.fromEntries(shown.map((name) => [name, record[name]])) };
}

/** Entries read and verified at a time: a few megabytes if their details take some kilobytes. */
const CHECKED_AT_ONCE = 1_000;

/**
 * Returns the id of the first row whose hash or number is wrong; null if the whole chain is intact. Holds only one slice of the log in
 * memory, and reads each with one query.
 */
export async function firstBrokenSeal(db: Queryable, companyId: number): Promise<number | null> {
  let previous: AuditRow | undefined;
  for (;;) {
    const rows = await findEntries(db, companyId, previous?.id ?? Number.MIN_SAFE_INTEGER);
    for (const row of rows) {
      const expected = seal(row, previous?.hash ?? null);
      if (row.id !== (previous?.id ?? 0) + 1 || !expected.equals(row.hash)) return row.id;
      previous = row;
    }
    if (rows.length < CHECKED_AT_ONCE) return null;
    // Hashing a slice takes some 10 ms, during which nothing else is served.
    await setImmediate();
  }
}

function findEntries(db: Queryable, companyId: number, after: number): Promise<AuditRow[]> {
  return db.query<AuditRow>(sql`
    select id, at, actor, action, target, details, hash from audit_log
    where company_id = ${companyId} and id > ${after} order by id limit ${CHECKED_AT_ONCE}`);
}

/** Returns the hash of an entry that follows `previous`, which is null for the first. */
export function seal(row: Omit<AuditRow, 'hash'>, previous: Buffer | null): Buffer {
  return createHash('sha256')
    .update(previous ?? Buffer.alloc(0))
    .update(JSON.stringify([row.id, row.at.toISOString(), row.actor, row.action, row.target, canonical(row.details)]))
    .digest();
}

/** Sorts the keys, because jsonb does not keep their order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
}
