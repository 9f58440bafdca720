import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import type { ConsentSource } from '../../recipients/consent.ts';

/**
 * Resets the count of refusals after a delivery. If refusals are reported later, by a relay that accepts every mail, the next accepted mail
 * proves nothing, but one without a report for four days does: relays retry for three.
 */
export async function forgetSoftBounces(tx: Tx, companyId: number, contactIds: number[]): Promise<void> {
  await tx.query(sql`
    delete from soft_bounces b
    where b.company_id = ${companyId} and b.contact_id = any(${contactIds}::bigint[]) and (b.reported_at is null or (
      select max(m.handed_over_at) - min(m.handed_over_at) from messages m
      where m.company_id = ${companyId} and m.contact_id = b.contact_id and m.channel = 'email'
        and m.handed_over_at > b.reported_at) > interval '4 days')`);
}

/** Resets the count for contacts that resubscribed. */
export async function clearSoftBounces(tx: Tx, companyId: number, contactIds: number[]): Promise<void> {
  await tx.query(sql`
    delete from soft_bounces where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[])`);
}

/** Records that a mail to these contacts was first accepted and later reported as refused. */
export async function noteReported(tx: Tx, companyId: number, contactIds: number[], now: Date): Promise<void> {
  await tx.query(sql`
    update soft_bounces set reported_at = ${now}
    where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[])`);
}

/** Counts one more temporary refusal of each contact's address; returns how many there are in a row. */
export function countSoftBounces(
  tx: Tx,
  companyId: number,
  contactIds: number[],
  now: Date,
): Promise<{ contact_id: number; in_a_row: number }[]> {
  return tx.query(sql`
    insert into soft_bounces as b (company_id, contact_id, email, in_a_row, updated_at)
    select ${companyId}, c.id, c.email, 1, ${now} from contacts c
    where c.company_id = ${companyId} and c.id = any(${contactIds}::bigint[]) order by c.id
    on conflict (company_id, contact_id) do update set email = excluded.email, updated_at = excluded.updated_at,
      in_a_row = case when b.email <> excluded.email then 1 else b.in_a_row + 1 end
    returning contact_id, in_a_row`);
}

export interface Suppression {
  channel: 'email' | 'sms';
  hash: Buffer;
  cause: SuppressionCause;
  /** Its origin; null if a program added it manually or a server refused the address. */
  source: ConsentSource | null;
}

/** In ascending order of weight: a cause that lets receipts pass must not replace one that does not. */
export const SUPPRESSION_CAUSES = ['unsubscribe', 'bounce', 'complaint', 'manual'] as const;
export type SuppressionCause = (typeof SUPPRESSION_CAUSES)[number];

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
