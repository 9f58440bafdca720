import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** The newest contacts whose properties are read. */
const CONTACTS = 500;
const MOST_NAMES = 500;

/** Returns the names of the properties that contacts have. */
export async function findPropertyNames(db: Queryable, companyId: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select distinct name from (
      select properties from contacts where company_id = ${companyId} order by id desc limit ${CONTACTS}
    ) newest, jsonb_object_keys(newest.properties) name order by name limit ${MOST_NAMES}`);
  return rows.map(({ name }) => name);
}

/** Returns the codes of coupon templates. */
export async function findCouponTemplates(db: Queryable, companyId: number): Promise<string[]> {
  const rows = await db.query<{ code: string }>(sql`
    select code from promo_codes
    where company_id = ${companyId} and template_id is null and is_template order by code limit ${MOST_NAMES}`);
  return rows.map(({ code }) => code);
}
