import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { SUPPRESSION_CAUSES, type SuppressionCause } from '../ledger/delivery-queries.ts';
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

const CHANNELS: readonly Channel[] = ['email', 'sms'];

/** Newest first; the totals are precomputed (see list_counts): a bucket is a range of 4096 seconds. */
export async function listSuppressions(
  db: Queryable,
  companyId: number,
  { channel, cause }: Pick<SuppressionFilters, 'channel' | 'cause'>,
  { skip, take, before }: SuppressionBounds,
): Promise<SuppressionPage> {
  const isWhole = channel === null && cause === null;
  const kinds = (channel === null ? CHANNELS : [channel]).flatMap((one) =>
    (cause === null ? SUPPRESSION_CAUSES : [cause]).map((other) => [one, other] as const),
  );
  const facets = isWhole ? null : kinds.map((kind) => kind.join(':'));
  const from =
    before === null
      ? sql`and s.created_at < to_timestamp(l.below) and s.created_at >= to_timestamp(l.lowest)`
      : olderThan(companyId, before);
  const rest = rawSql(before === null ? 'l.rest' : '0::bigint');
  const order = rawSql('order by created_at desc, channel desc, hash desc');
  const listed = (more: Statement, limit: Statement): Statement => sql`
    (select s.channel, s.hash, s.created_at from suppressions s
     where s.company_id = ${companyId} ${more} ${from} ${order} ${limit})`;
  // Each kind is read in index order, only as far as the page needs.
  const found = isWhole
    ? listed(emptySql, sql`offset ${rest} limit ${take}`)
    : sql`(select * from (${kinds.reduce(
        (union, [one, other]) => sql`${union} ${union === emptySql ? emptySql : rawSql('union all')}
          ${listed(sql`and s.channel = ${one} and s.cause = ${other}`, sql`limit ${rest} + ${take}::bigint`)}`,
        emptySql,
      )}) listed ${order} offset ${rest} limit ${take})`;
  return page(
    await db.query(sql`
      select l.total as list_total, s.channel, s.cause, s.hash, s.created_at
      from locate_page(${companyId}, 'suppressions', ${facets}::text[], null, null, ${skip}) l
      left join lateral ${found} found on true
      left join suppressions s on s.company_id = ${companyId} and s.channel = found.channel and s.hash = found.hash
      order by s.created_at desc, s.channel desc, s.hash desc`),
  );
}

/** The same with any filters; rows are counted and skipped one by one. */
export async function listCounted(
  db: Queryable,
  companyId: number,
  filters: SuppressionFilters,
  { skip, take, before }: SuppressionBounds,
): Promise<SuppressionPage> {
  const where = matches(companyId, filters);
  return page(
    await db.query(sql`
      select l.total as list_total, s.channel, s.cause, s.hash, s.created_at
      from (select count(*) as total from suppressions s where ${where}) l
      left join lateral (
        select * from suppressions s where ${where} ${before === null ? emptySql : olderThan(companyId, before)}
        order by s.created_at desc, s.channel desc, s.hash desc offset ${skip} limit ${take}
      ) s on true
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
