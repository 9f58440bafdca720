import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import type { Channel } from '../../recipients/consent.ts';
import type { FormField } from './contract.ts';
import type { FormLook } from './look.ts';

/** The settings of a form. */
export interface FormSettings {
  name: string;
  list_ids: number[];
  channels: Channel[];
  double_opt_in: boolean;
  fields: FormField[];
  consent_text: string;
  allowed_origins: string[];
  success_text: string | null;
  redirect_url: string | null;
  language: Language;
  min_fill_seconds: number;
  max_per_hour: number;
  /** The fields of the look that were set. */
  look: Partial<FormLook>;
}

export interface FormRow extends FormSettings {
  company_id: number;
  id: number;
  public_id: string;
  submissions: number;
  confirmed: number;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`company_id, id, public_id, name, to_json(list_ids) as list_ids, channels, double_opt_in, fields, consent_text,
  allowed_origins, success_text, redirect_url, language, min_fill_seconds, max_per_hour, look, submissions, confirmed, created_at,
  updated_at`;

export async function findForm(db: Queryable, companyId: number, id: number): Promise<FormRow | undefined> {
  const rows = await db.query<FormRow>(sql`
    select ${columns} from forms where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

/** Locks the row until COMMIT. */
export async function lockForm(tx: Tx, companyId: number, id: number): Promise<FormRow | undefined> {
  const rows = await tx.query<FormRow>(sql`
    select ${columns} from forms where company_id = ${companyId} and id = ${id} for no key update`);
  return rows[0];
}

/** Finds a form of any company by its public id. */
export async function findPublicForm(db: Queryable, publicId: string): Promise<FormRow | undefined> {
  const rows = await db.query<FormRow>(sql`select ${columns} from forms where public_id = ${publicId}`);
  return rows[0];
}

/** Newest first. The total is counted: a shop has a few forms. */
export async function findForms(
  db: Queryable,
  companyId: number,
  page: { skip: number; take: number },
): Promise<{ total: number; rows: FormRow[] }> {
  const [[counted], rows] = await Promise.all([
    db.query<{ n: number }>(sql`select count(*) as n from forms where company_id = ${companyId}`),
    db.query<FormRow>(sql`
      select ${columns} from forms where company_id = ${companyId}
      order by id desc offset ${page.skip} limit ${page.take}`),
  ]);
  return { total: counted!.n, rows };
}

export async function insertForm(
  tx: Tx,
  companyId: number,
  form: FormSettings & { public_id: string },
  now: Date,
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into forms (company_id, public_id, name, list_ids, channels, double_opt_in, fields, consent_text, allowed_origins,
      success_text, redirect_url, language, min_fill_seconds, max_per_hour, look, created_at, updated_at)
    values (${companyId}, ${form.public_id}, ${form.name}, ${form.list_ids}::bigint[], ${form.channels}::text[],
      ${form.double_opt_in}, ${JSON.stringify(form.fields)}::jsonb, ${form.consent_text}, ${form.allowed_origins}::text[],
      ${form.success_text}, ${form.redirect_url}, ${form.language}, ${form.min_fill_seconds}, ${form.max_per_hour},
      ${JSON.stringify(form.look)}::jsonb, ${now}, ${now})
    returning id`);
  return rows[0]!.id;
}

export async function writeForm(tx: Tx, companyId: number, id: number, form: FormSettings, now: Date): Promise<void> {
  await tx.query(sql`
    update forms set name = ${form.name}, list_ids = ${form.list_ids}::bigint[], channels = ${form.channels}::text[],
      double_opt_in = ${form.double_opt_in}, fields = ${JSON.stringify(form.fields)}::jsonb,
      consent_text = ${form.consent_text}, allowed_origins = ${form.allowed_origins}::text[],
      success_text = ${form.success_text}, redirect_url = ${form.redirect_url}, language = ${form.language},
      min_fill_seconds = ${form.min_fill_seconds}, max_per_hour = ${form.max_per_hour},
      look = ${JSON.stringify(form.look)}::jsonb, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}`);
}

/** Deletes the form; returns whether it existed. */
export async function removeForm(tx: Tx, companyId: number, id: number): Promise<boolean> {
  await tx.query(sql`delete from form_days where company_id = ${companyId} and form_id = ${id}`);
  const rows = await tx.query(sql`delete from forms where company_id = ${companyId} and id = ${id} returning id`);
  return rows.length > 0;
}

export interface FormDay {
  day: string;
  submissions: number;
  confirmed: number;
}

/** The last `days` days up to that of `now`, including those without submissions. */
export async function findDays(
  db: Queryable,
  companyId: number,
  id: number,
  { days, now }: { days: number; now: Date },
): Promise<FormDay[]> {
  return db.query<FormDay>(sql`
    select to_char(t.day, 'YYYY-MM-DD') as day, coalesce(d.submissions, 0) as submissions, coalesce(d.confirmed, 0) as confirmed
    from (
      select (${now}::timestamptz at time zone 'UTC')::date - n as day from generate_series(0, ${days}::int - 1) n
    ) t
    left join form_days d on d.company_id = ${companyId} and d.form_id = ${id} and d.day = t.day
    order by t.day`);
}
