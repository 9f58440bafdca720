import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';

/**
 * The template's code and twelve random letters (48 bits), in groups of four, without letters that are easily confused. In one of 500
 * shops, two of a million coupons are the same: then the statement fails, and its retry draws others.
 */
const NEW_CODE = rawSql(`t.code || regexp_replace(
  translate(right(gen_random_uuid()::text, 12), '0123456789abcdef', 'ACDEFHJKLMNPRTWX'), '(....)', '-\\1', 'g')`);

/** Inserts coupons with the codes `c.code`, from the templates (alias t) in `source`. */
function insertFrom(companyId: number, source: Statement, now: Date): Statement {
  return sql`
    insert into promo_codes (company_id, code, type, value, scope, product_ids, category_slugs, collection_ids, min_subtotal,
      max_discount, starts_at, ends_at, usage_limit, first_order_only, template_id, created_at, updated_at)
    select ${companyId}, c.code, t.type, t.value, t.scope, t.product_ids, t.category_slugs, t.collection_ids, t.min_subtotal, t.max_discount,
      t.starts_at, least(t.ends_at, ${now}::timestamptz + t.valid_days * interval '24 hours'), 1, t.first_order_only, t.id,
      ${now}, ${now}
    from ${source}`;
}

/** Returns their codes. */
export async function insertCoupons(
  tx: Tx,
  companyId: number,
  templateId: number,
  count: number,
  now: Date,
): Promise<string[]> {
  const source = sql`
    promo_codes t cross join lateral (select ${NEW_CODE} as code from generate_series(1, ${count}::int)) c
    where t.company_id = ${companyId} and t.id = ${templateId}`;
  const rows = await tx.query<{ code: string }>(sql`${insertFrom(companyId, source, now)} returning code`);
  return rows.map((row) => row.code);
}

/** A coupon of a message: the template's code, in upper case, and the coupon's. */
export interface MessageCoupon {
  message_id: number;
  template: string;
  code: string;
}

export interface WantedCoupon {
  messageId: number;
  /** The code of a template, in upper case. */
  template: string;
}

function wantedRows(wanted: WantedCoupon[]): Statement {
  return sql`unnest(${wanted.map((one) => one.messageId)}::bigint[], ${wanted.map((one) => one.template)}::text[])
    as w (message_id, template)`;
}

/** Returns the existing coupons of messages. */
export function findMessageCoupons(db: Queryable, companyId: number, wanted: WantedCoupon[]): Promise<MessageCoupon[]> {
  return db.query<MessageCoupon>(sql`
    select w.message_id, w.template, m.code
    from ${wantedRows(wanted)}
    join promo_codes t on t.company_id = ${companyId} and upper(t.code) = w.template and t.is_template
    join message_coupons m on m.company_id = ${companyId} and m.message_id = w.message_id and m.template_id = t.id`);
}

/**
 * Creates the coupons of messages from templates that are usable now. If two callers do so at once for the same message, one creates
 * nothing and finds the coupon afterwards.
 */
export async function insertMessageCoupons(
  db: Queryable,
  companyId: number,
  wanted: WantedCoupon[],
  now: Date,
): Promise<void> {
  const source = sql`made c join promo_codes t on t.company_id = ${companyId} and t.id = c.template_id`;
  await db.query(sql`
    with made as (
      insert into message_coupons (company_id, message_id, template_id, code)
      select ${companyId}, w.message_id, t.id, ${NEW_CODE}
      from ${wantedRows(wanted)} join promo_codes t on t.company_id = ${companyId} and upper(t.code) = w.template
      where t.is_template and t.active and coalesce(t.ends_at > ${now}, true)
      order by w.message_id, t.id
      on conflict (company_id, message_id, template_id) do nothing
      returning template_id, code
    )
    ${insertFrom(companyId, source, now)}`);
}

/** Returns those of the codes (in upper case) whose templates can create coupons now. */
export async function findUsableTemplates(
  db: Queryable,
  companyId: number,
  codes: readonly string[],
  now: Date,
): Promise<string[]> {
  const rows = await db.query<{ code: string }>(sql`
    select upper(code) as code from promo_codes
    where company_id = ${companyId} and upper(code) = any(${codes}::text[]) and is_template and active
      and coalesce(ends_at > ${now}, true)`);
  return rows.map((row) => row.code);
}

export interface CouponRow {
  id: number;
  code: string;
  ends_at: Date | null;
  used: boolean;
  created_at: Date;
}

/** Newest first, with the exact total. */
export async function listCoupons(
  db: Queryable,
  companyId: number,
  templateId: number,
  { used, skip, take }: PageBounds & { used: boolean | undefined },
): Promise<{ rows: CouponRow[]; total: number }> {
  const condition = sql`company_id = ${companyId} and template_id = ${templateId}
    ${used === undefined ? emptySql : sql`and (used_count > 0) = ${used}`}`;
  const [counted, rows] = await Promise.all([
    db.query<{ n: number }>(sql`select count(*) as n from promo_codes where ${condition}`),
    db.query<CouponRow>(sql`
      select id, code, ends_at, used_count > 0 as used, created_at from promo_codes where ${condition}
      order by id desc offset ${skip} limit ${take}`),
  ]);
  return { rows, total: counted[0]!.n };
}
