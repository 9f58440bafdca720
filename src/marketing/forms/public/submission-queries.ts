import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { Channel } from '../../../recipients/consent.ts';
import type { GivenFields } from '../../contacts/consent/signup.ts';

/** Adds 1 to the subject's count in the window; returns the count. */
export async function countInWindow(
  db: Queryable,
  companyId: number,
  formId: number,
  { subject, windowStart }: { subject: string; windowStart: Date },
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    insert into form_rates as r (company_id, form_id, subject, window_start, n)
    values (${companyId}, ${formId}, ${subject}, ${windowStart}, 1)
    on conflict (company_id, form_id, subject, window_start) do update set n = r.n + 1
    returning n`);
  return rows[0]!.n;
}

/** How often an address or its contact was asked for a confirmation. */
export interface AskedCounts {
  hour: number;
  day: number;
  /** By all forms of the company. */
  company: number;
}

export async function countAsked(
  tx: Tx,
  companyId: number,
  { formId, contactId, hash, now }: { formId: number; contactId: number; hash: Buffer; now: Date },
): Promise<AskedCounts> {
  const rows = await tx.query<AskedCounts>(sql`
    select count(*) filter (where form_id = ${formId} and created_at > ${now}::timestamptz - interval '1 hour') as hour,
      count(*) filter (where form_id = ${formId}) as day, count(*) as company
    from form_submissions
    where company_id = ${companyId} and (address_hash = ${hash} or contact_id = ${contactId})
      and created_at > ${now}::timestamptz - interval '1 day'`);
  return rows[0]!;
}

export interface NewSubmission {
  formId: number;
  contactId: number;
  hash: Buffer;
  phone: string | null;
  given: GivenFields;
  consentText: string;
  ip: string;
  userAgent: string | undefined;
  /** The channels whose consent takes effect at once. */
  confirmed: readonly Channel[];
  /** When it is deleted unless it is confirmed; null: never. */
  expiresAt: Date | null;
}

export async function insertSubmission(tx: Tx, companyId: number, one: NewSubmission, now: Date): Promise<number> {
  const at = (channel: Channel): Date | null => (one.confirmed.includes(channel) ? now : null);
  const rows = await tx.query<{ id: number }>(sql`
    insert into form_submissions (company_id, form_id, contact_id, address_hash, phone, given, consent_text, ip, user_agent,
      created_at, email_confirmed_at, sms_confirmed_at, expires_at)
    values (${companyId}, ${one.formId}, ${one.contactId}, ${one.hash}, ${one.phone}, ${JSON.stringify(one.given)}::jsonb,
      ${one.consentText}, ${one.ip}, ${one.userAgent ?? null}, ${now}, ${at('email')}, ${at('sms')},
      ${one.expiresAt})
    returning id`);
  return rows[0]!.id;
}

/** Adds to the totals of the form, and of the day (UTC). */
export async function addToTotals(
  tx: Tx,
  companyId: number,
  formId: number,
  { submissions, confirmed }: { submissions: number; confirmed: number },
  now: Date,
): Promise<void> {
  if (submissions === 0 && confirmed === 0) return;
  await tx.query(sql`
    with form as (
      update forms set submissions = submissions + ${submissions}, confirmed = confirmed + ${confirmed}
      where company_id = ${companyId} and id = ${formId} returning id
    )
    insert into form_days as d (company_id, form_id, day, submissions, confirmed)
    select ${companyId}, id, (${now}::timestamptz at time zone 'UTC')::date, ${submissions}, ${confirmed} from form
    on conflict (company_id, form_id, day) do update
      set submissions = d.submissions + excluded.submissions, confirmed = d.confirmed + excluded.confirmed`);
}

export interface SubmissionRow {
  id: number;
  form_id: number;
  contact_id: number;
  address_hash: Buffer;
  phone: string | null;
  given: GivenFields;
  consent_text: string;
  created_at: Date;
  email_confirmed_at: Date | null;
  sms_confirmed_at: Date | null;
}

export async function findSubmission(db: Queryable, companyId: number, id: number): Promise<SubmissionRow | undefined> {
  const rows = await db.query<SubmissionRow>(sql`
    select id, form_id, contact_id, address_hash, phone, given, consent_text, created_at, email_confirmed_at,
      sms_confirmed_at
    from form_submissions where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function markConfirmed(tx: Tx, companyId: number, id: number, channel: Channel, now: Date): Promise<void> {
  await tx.query(sql`
    update form_submissions set ${rawSql(`${channel}_confirmed_at`)} = ${now}, expires_at = null
    where company_id = ${companyId} and id = ${id}`);
}
