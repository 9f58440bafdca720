import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { ShopSettings } from '../shop.ts';

export interface SettingsRow {
  name: string;
  currency: string;
  currency_exponent: number;
  time_zone: string;
  country: string;
  settings: ShopSettings;
}

const columns = rawSql('name, currency, currency_exponent, time_zone, country, settings');

export async function findSettings(db: Queryable, companyId: number): Promise<SettingsRow> {
  const rows = await db.query<SettingsRow>(sql`select ${columns} from companies where company_id = ${companyId}`);
  return rows[0]!;
}

export async function lockSettings(tx: Tx, companyId: number): Promise<SettingsRow> {
  const rows = await tx.query<SettingsRow>(sql`
    select ${columns} from companies where company_id = ${companyId} for update`);
  return rows[0]!;
}

/** Sets `row.settings`; other stored settings stay. */
export async function updateSettings(tx: Tx, companyId: number, row: SettingsRow): Promise<SettingsRow> {
  const rows = await tx.query<SettingsRow>(sql`
    update companies set name = ${row.name}, currency = ${row.currency}, currency_exponent = ${row.currency_exponent},
      time_zone = ${row.time_zone}, country = ${row.country}, settings = settings || ${row.settings}::jsonb
    where company_id = ${companyId}
    returning ${columns}`);
  return rows[0]!;
}

/** Returns whether there are orders in the currency, and whether there are other amounts. */
export async function findUsesOfCurrency(
  db: Queryable,
  companyId: number,
): Promise<{ orders: boolean; amounts: boolean }> {
  const rows = await db.query<{ orders: boolean; amounts: boolean }>(sql`
    select exists (select 1 from orders where company_id = ${companyId}) as orders,
      exists (select 1 from products where company_id = ${companyId})
        or exists (select 1 from promo_codes where company_id = ${companyId})
        or exists (select 1 from shipping_methods where company_id = ${companyId} and config <> '{"cost": 0}')
        or exists (select 1 from payment_methods where company_id = ${companyId} and coalesce(min_total, max_total) is not null)
        or exists (select 1 from custom_fields where company_id = ${companyId} and type = 'money' and not deleted)
        as amounts`);
  return rows[0]!;
}
