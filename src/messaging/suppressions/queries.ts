import { countRows, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, type Statement, sql } from '../../db/sql.ts';
import type { SuppressionCause } from '../ledger/delivery-queries.ts';
import type { Channel } from '../ledger/message.ts';

export interface SuppressionRow {
  channel: Channel;
  cause: SuppressionCause;
  hash: Buffer;
  created_at: Date;
}

export interface SuppressionFilters {
  channel: Channel | null;
  cause: SuppressionCause | null;
  hashes: Buffer[] | null;
}

interface SuppressionBounds {
  skip: number;
  take: number;
  /** Used instead of `skip`: the hash of the last row before the page. */
  before: Buffer | null;
}

interface SuppressionPage {
  rows: SuppressionRow[];
  total: number;
}

/** Newest first, with the exact total. Keys are found in indexes alone, rows are read for the page. */
export async function listSuppressions(
  db: Queryable,
  companyId: number,
  filters: SuppressionFilters,
  { skip, take, before }: SuppressionBounds,
): Promise<SuppressionPage> {
  const { channel, cause, hashes } = filters;
  const where = matches(companyId, filters);
  const isWhole = channel === null && cause === null && hashes === null;
  const total = isWhole ? storedTotal(companyId, 'suppressions') : countRows(sql`from suppressions s where ${where}`);
  const keys = sql`select s.channel, s.hash from suppressions s
    where ${where} ${before === null ? emptySql : olderThan(companyId, before)}
    order by s.created_at desc, s.channel desc, s.hash desc`;
  return page(
    await db.query(sql`
      select l.total as list_total, s.channel, s.cause, s.hash, s.created_at
      from (${total}) l
      left join (
        (${pageOfKeys(keys, { skip, take })}) found
        join suppressions s on s.company_id = ${companyId} and s.channel = found.channel and s.hash = found.hash
      ) on true
      order by s.created_at desc, s.channel desc, s.hash desc`),
  );
}

function matches(companyId: number, { channel, cause, hashes }: SuppressionFilters): Statement {
  return sql`s.company_id = ${companyId}
    ${channel === null ? emptySql : sql`and s.channel = ${channel}`}
    ${cause === null ? emptySql : sql`and s.cause = ${cause}`}
    ${hashes === null ? emptySql : sql`and s.hash = any(${hashes}::bytea[])`}`;
}

function olderThan(companyId: number, hash: Buffer): Statement {
  return sql`and (s.created_at, s.channel, s.hash) < (
    select o.created_at, o.channel, o.hash from suppressions o
    where o.company_id = ${companyId} and o.channel in ('email', 'sms') and o.hash = ${hash}
    order by o.created_at, o.channel limit 1)`;
}

type Listed = { list_total: number } & { [K in keyof SuppressionRow]: SuppressionRow[K] | null };

function page(rows: Listed[]): SuppressionPage {
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & SuppressionRow => row.hash !== null) };
}

/** Returns the rows after a place, newest first; null: from the newest. A place is a time in microseconds, a channel and a hash. */
export function walkSuppressions(
  db: Queryable,
  companyId: number,
  filters: SuppressionFilters,
  { place, limit }: { place: string | null; limit: number },
): Promise<(SuppressionRow & { place: string })[]> {
  const [micros, channel, hash] = place?.split(':') ?? [];
  const behind =
    place === null
      ? emptySql
      : sql`and (s.created_at, s.channel, s.hash) < (
        timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${channel}::text, decode(${hash}::text, 'hex'))`;
  return db.query(sql`
    select s.channel, s.cause, s.hash, s.created_at,
      (extract(epoch from s.created_at) * 1000000)::bigint || ':' || suppression_part(s.channel, s.hash) as place
    from suppressions s where ${matches(companyId, filters)} ${behind}
    order by s.created_at desc, s.channel desc, s.hash desc limit ${limit}`);
}

/** Returns how many of these are suppressed manually. */
export async function findManual(tx: Tx, companyId: number, channel: Channel, hashes: Buffer[]): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from suppressions
    where company_id = ${companyId} and channel = ${channel} and hash = any(${hashes}::bytea[]) and cause = 'manual'`);
  return rows[0]!.n;
}

/** Deletes them whatever their cause; returns how many there were. */
export async function liftSuppressions(tx: Tx, companyId: number, channel: Channel, hashes: Buffer[]): Promise<number> {
  const rows = await tx.query(sql`
    delete from suppressions
    where company_id = ${companyId} and channel = ${channel} and hash = any(${hashes}::bytea[]) returning 1`);
  return rows.length;
}
