import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
import type { SuppressionCause } from '../ledger/delivery-queries.ts';
import type { Channel } from '../ledger/message.ts';

export interface SuppressionRow {
  channel: Channel;
  cause: SuppressionCause;
  hash: Buffer;
  created_at: Date;
}

/** Newest first. A shop looks at them now and then: they are counted. */
export async function listSuppressions(
  db: Queryable,
  companyId: number,
  filters: { channel: Channel | null; cause: SuppressionCause | null; hashes: Buffer[] | null },
  page: { skip: number; take: number; before: Buffer | null },
): Promise<{ rows: SuppressionRow[]; total: number }> {
  const { channel, cause, hashes } = filters;
  const where = sql`s.company_id = ${companyId}
    ${channel === null ? emptySql : sql`and s.channel = ${channel}`}
    ${cause === null ? emptySql : sql`and s.cause = ${cause}`}
    ${hashes === null ? emptySql : sql`and s.hash = any(${hashes}::bytea[])`}`;
  const older =
    page.before === null
      ? emptySql
      : sql`and (s.created_at, s.channel, s.hash) < (
        select l.created_at, l.channel, l.hash from suppressions l
        where l.company_id = ${companyId} and l.channel in ('email', 'sms') and l.hash = ${page.before}
        order by l.created_at, l.channel limit 1)`;
  const rows = await db.query<{ list_total: number } & { [K in keyof SuppressionRow]: SuppressionRow[K] | null }>(sql`
    select l.total as list_total, s.channel, s.cause, s.hash, s.created_at
    from (select count(*) as total from suppressions s where ${where}) l
    left join (
      -- The rows before the page are skipped in the index.
      select s.channel, s.hash from suppressions s where ${where} ${older}
      order by s.created_at desc, s.channel desc, s.hash desc offset ${page.skip} limit ${page.take}
    ) found on true
    left join suppressions s on s.company_id = ${companyId} and s.channel = found.channel and s.hash = found.hash
    order by s.created_at desc, s.channel desc, s.hash desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & SuppressionRow => row.hash !== null) };
}

/** How many of these are suppressed by hand. */
export async function findManual(tx: Tx, companyId: number, channel: Channel, hashes: Buffer[]): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from suppressions
    where company_id = ${companyId} and channel = ${channel} and hash = any(${hashes}::bytea[]) and cause = 'manual'`);
  return rows[0]!.n;
}

/** Whatever their cause; gives how many there were. */
export async function liftSuppressions(tx: Tx, companyId: number, channel: Channel, hashes: Buffer[]): Promise<number> {
  const rows = await tx.query(sql`
    delete from suppressions
    where company_id = ${companyId} and channel = ${channel} and hash = any(${hashes}::bytea[]) returning 1`);
  return rows.length;
}
