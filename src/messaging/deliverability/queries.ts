import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { type EmailTotals, type PauseReason, ratesOf } from './rates.ts';

const TOTALS = rawSql(`coalesce(sum(n) filter (where key = 'sent:email'), 0)::bigint as sent,
  coalesce(sum(n) filter (where key = 'refused:email'), 0)::bigint as refused,
  coalesce(sum(n) filter (where key = 'bounced:email'), 0)::bigint as bounced,
  coalesce(sum(n) filter (where key = 'complained:email'), 0)::bigint as complained`);

/** Sums a company's e-mail counters from a day on: a range of the primary key plus the deltas that are not folded yet. */
function totals(company: Statement, from: Statement): Statement {
  return sql`select ${TOTALS} from counters where company_id = ${company} and counter = 'marketing-days' and day >= ${from}`;
}

/** For companies c with their rows p of marketing_pauses: the counts in the window that starts on the day, since the last pause ended. */
function measured(from: string): Statement {
  return sql`
    select c.company_id, p.resumed_at, t.sent - b.sent as sent, t.refused - b.refused as refused,
      t.bounced - b.bounced as bounced, t.complained - b.complained as complained
    from companies c left join marketing_pauses p on p.company_id = c.company_id
    cross join lateral (${totals(sql`c.company_id`, sql`greatest(${from}::date, p.counted_from)`)}) t
    cross join lateral (
      select case when p.counted_from >= ${from}::date then p.base_sent else 0 end as sent,
        case when p.counted_from >= ${from}::date then p.base_refused else 0 end as refused,
        case when p.counted_from >= ${from}::date then p.base_bounced else 0 end as bounced,
        case when p.counted_from >= ${from}::date then p.base_complained else 0 end as complained
    ) b`;
}

export interface MeasuredRow extends EmailTotals {
  company_id: number;
  /** When the last pause ended. */
  resumed_at: Date | null;
}

/** Returns companies whose marketing e-mail is not paused, with bounces or complaints and at least `least` e-mails. */
export function findMeasured(db: Queryable, from: string, least: number): Promise<MeasuredRow[]> {
  return db.query<MeasuredRow>(sql`
    select * from (${measured(from)} where p.paused_at is null) m
    where m.sent + m.refused >= ${least} and (m.complained > 0 or m.bounced > 0 or m.refused > 0) order by m.company_id`);
}

/** Returns the counts of one company. */
export async function findTotals(db: Queryable, companyId: number, from: string): Promise<EmailTotals> {
  const rows = await db.query<EmailTotals>(sql`
    select sent, refused, bounced, complained from (${measured(from)} where c.company_id = ${companyId}) m`);
  return rows[0]!;
}

export interface PauseRow extends EmailTotals {
  paused_at: Date | null;
  reason: PauseReason | null;
  resumed_at: Date | null;
}

/** Returns undefined for a company that was never paused. */
export async function findPause(db: Queryable, companyId: number, lock = false): Promise<PauseRow | undefined> {
  const rows = await db.query<PauseRow>(sql`
    select paused_at, reason, sent, refused, bounced, complained, resumed_at from marketing_pauses
    where company_id = ${companyId} ${lock ? rawSql('for update') : emptySql}`);
  return rows[0];
}

/** Returns false if it is already paused, or was resumed since it was measured. */
export async function beginPause(
  tx: Tx,
  { company_id, resumed_at, ...totals }: MeasuredRow,
  reason: PauseReason,
  now: Date,
): Promise<boolean> {
  const { sent, refused, bounced, complained } = totals;
  const rows = await tx.query(sql`
    insert into marketing_pauses as p (company_id, paused_at, reason, sent, refused, bounced, complained)
    values (${company_id}, ${now}, ${reason}, ${sent}, ${refused}, ${bounced}, ${complained})
    on conflict (company_id) do update set paused_at = excluded.paused_at, reason = excluded.reason, sent = excluded.sent,
      refused = excluded.refused, bounced = excluded.bounced, complained = excluded.complained
    where p.paused_at is null and p.resumed_at is not distinct from ${resumed_at}::timestamptz
    returning 1`);
  return rows.length > 0;
}

/** Restarts the measurement: what the day has counted so far is excluded. */
export async function endPause(tx: Tx, companyId: number, day: string, now: Date): Promise<void> {
  await tx.query(sql`
    update marketing_pauses p set paused_at = null, resumed_at = ${now}, counted_from = ${day}::date, base_sent = t.sent,
      base_refused = t.refused, base_bounced = t.bounced, base_complained = t.complained
    from (${totals(sql`${companyId}`, sql`${day}::date`)}) t
    where p.company_id = ${companyId}`);
}

/** Pauses the e-mail campaigns that are being sent; returns how many. */
export async function pauseCampaigns(tx: Tx, companyId: number, reason: PauseReason, now: Date): Promise<number> {
  const rows = await tx.query(sql`
    update campaigns set status = 'paused', reason = ${reason}, updated_at = ${now}
    where company_id = ${companyId} and status = 'sending' and type = 'email' returning 1`);
  return rows.length;
}

/** Resumes the campaigns paused with the company; one that had not started is scheduled again. Returns how many. */
export async function resumeCampaigns(tx: Tx, companyId: number, now: Date): Promise<number> {
  const rows = await tx.query(sql`
    update campaigns set status = case when started_at is null then 'scheduled' else 'sending' end, reason = null, updated_at = ${now}
    where company_id = ${companyId} and status = 'paused' and reason in ('complaint_rate', 'bounce_rate') returning 1`);
  return rows.length;
}

export interface Recipient {
  person_id: number;
  email: string;
  language: 'en' | 'de';
}

/** Returns the paused companies with the rate that caused the pause. */
export async function listPaused(db: Queryable): Promise<{ company_id: number; reason: PauseReason; rate: number }[]> {
  const rows = await db.query<EmailTotals & { company_id: number; reason: PauseReason }>(sql`
    select p.company_id, p.reason, p.sent, p.refused, p.bounced, p.complained
    from companies c join marketing_pauses p using (company_id) where p.paused_at is not null order by 1`);
  return rows.map(({ company_id, reason, ...totals }) => ({ company_id, reason, rate: ratesOf(totals)[reason] }));
}
