import { countRows, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { ConsentSource } from '../../recipients/consent.ts';
import type { Channel } from '../ledger/message.ts';
import { SUPPRESSION_CAUSES, type SuppressionCause } from './contract.ts';

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

/** Returns the addresses that are suppressed; `hash` in hexadecimal. */
export function findSuppressions(
  tx: Tx,
  companyId: number,
  addresses: { channel: string; hash: string }[],
): Promise<{ channel: Channel; hash: string; cause: SuppressionCause; source: ConsentSource | null }[]> {
  return tx.query(sql`
    select s.channel, a.hash, s.cause, s.source
    from unnest(${addresses.map((a) => a.channel)}::text[], ${addresses.map((a) => a.hash)}::text[]) as a (channel, hash)
    join suppressions s on s.company_id = ${companyId} and s.channel = a.channel and s.hash = decode(a.hash, 'hex')`);
}

export interface Suppression {
  channel: 'email' | 'sms';
  hash: Buffer;
  cause: SuppressionCause;
  /** Its origin; null if a program added it manually or a server refused the address. */
  source: ConsentSource | null;
}

/**
 * Keeps the gravest of several causes, whichever came first; of equal ones, any other source outweighs the shop's. A bounced address also
 * keeps the source of an opt-out: the opt-out belongs to the person and follows them to another address.
 */
export async function insertSuppressions(
  db: Queryable,
  companyId: number,
  suppressions: Suppression[],
  now: Date,
): Promise<void> {
  const rank = (cause: Statement): Statement => sql`array_position(${SUPPRESSION_CAUSES}::text[], ${cause})`;
  await db.query(sql`
    insert into suppressions as s (company_id, channel, hash, cause, source, created_at)
    select distinct on (channel, hash) ${companyId}::bigint, channel, hash, cause,
      case when cause = 'bounce' then coalesce(source,
        max(case when cause = 'unsubscribe' then coalesce(source, 'api') end) over (partition by channel, hash))
      else source end, ${now}::timestamptz
    from unnest(${suppressions.map((s) => s.channel)}::text[], ${suppressions.map((s) => s.hash)}::bytea[],
      ${suppressions.map((s) => s.cause)}::text[], ${suppressions.map((s) => s.source)}::text[])
      as v (channel, hash, cause, source)
    order by channel, hash, ${rank(rawSql('cause'))} desc, source = 'shop'
    on conflict (company_id, channel, hash) do update
    set cause = case when ${rank(rawSql('excluded.cause'))} > ${rank(rawSql('s.cause'))}
        then excluded.cause else s.cause end,
      source = case
        when excluded.cause = 'bounce' and s.cause = 'unsubscribe'
          and (excluded.source is null or s.source is distinct from 'shop') then coalesce(s.source, 'api')
        when excluded.cause = 'unsubscribe' and s.cause = 'bounce' then coalesce(excluded.source, 'api')
        else excluded.source end,
      created_at = excluded.created_at
    where ${rank(rawSql('excluded.cause'))} > ${rank(rawSql('s.cause'))}
      or (excluded.cause = s.cause and s.source = 'shop' and excluded.source is distinct from 'shop')
      or (s.cause = 'bounce' and s.source is null and (excluded.cause = 'unsubscribe' or excluded.source is not null)
        and excluded.cause in ('unsubscribe', 'bounce'))
      or (s.cause = 'bounce' and excluded.cause = 'unsubscribe' and s.source = 'shop'
        and excluded.source is distinct from 'shop')`);
}

/** Deletes suppressions except manual ones; with `source`, only opt-outs from that source. */
export async function deleteSuppressions(
  tx: Tx,
  companyId: number,
  addresses: { channel: 'email' | 'sms'; hash: Buffer }[],
  source: ConsentSource | null,
): Promise<void> {
  const wanted = sql`unnest(${addresses.map((a) => a.channel)}::text[], ${addresses.map((a) => a.hash)}::bytea[])`;
  await tx.query(sql`
    delete from suppressions s using ${wanted} as a (channel, hash)
    where s.company_id = ${companyId} and s.channel = a.channel and s.hash = a.hash and s.cause <> 'manual'
      and (${source}::text is null or (s.cause = 'unsubscribe' and s.source = ${source}))`);
  if (source === null) return;
  // The address stays suppressed as bounced.
  await tx.query(sql`
    update suppressions s set source = null from ${wanted} as a (channel, hash)
    where s.company_id = ${companyId} and s.channel = a.channel and s.hash = a.hash and s.cause = 'bounce'
      and s.source = ${source}`);
}

/** Resets the count for contacts that resubscribed. */
export async function clearSoftBounces(tx: Tx, companyId: number, contactIds: number[]): Promise<void> {
  await tx.query(sql`
    delete from soft_bounces where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[])`);
}
