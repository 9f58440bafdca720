import type { Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

export interface CompanyRow {
  company_id: number;
  name: string;
  currency: string;
  currency_exponent: number;
  time_zone: string;
  country: string;
  settings: Record<string, unknown>;
  created_at: Date;
}

export async function insertCompany(
  db: Queryable,
  company: {
    name: string;
    currency: string;
    exponent: number;
    timeZone: string;
    country: string;
    settings: Record<string, unknown>;
    now: Date;
  },
): Promise<CompanyRow> {
  const rows = await db.query<CompanyRow>(sql`
    insert into companies (name, currency, currency_exponent, time_zone, country, settings, created_at)
    values (${company.name}, ${company.currency}, ${company.exponent}, ${company.timeZone}, ${company.country},
      ${company.settings}::jsonb, ${company.now})
    returning company_id, name, currency, currency_exponent, time_zone, country, settings, created_at`);
  return rows[0]!;
}

export async function findCompany(db: Queryable, companyId: number): Promise<CompanyRow | undefined> {
  const rows = await db.query<CompanyRow>(sql`
    select company_id, name, currency, currency_exponent, time_zone, country, settings, created_at
    from companies where company_id = ${companyId}`);
  return rows[0];
}

export async function listCompanies(db: Queryable): Promise<CompanyRow[]> {
  return db.query<CompanyRow>(sql`
    select company_id, name, currency, currency_exponent, time_zone, country, settings, created_at
    from companies order by company_id`);
}

/** Creates the defaults of a new company: one shipping zone "everywhere" with a free flat method. */
export async function insertCompanyDefaults(db: Queryable, companyId: number, now: Date): Promise<void> {
  await db.query(sql`
    with zone as (
      insert into shipping_zones (company_id, name, created_at, updated_at)
      values (${companyId}, 'Everywhere', ${now}, ${now}) returning id
    )
    insert into shipping_methods (company_id, zone_id, name, type, config, created_at, updated_at)
    select ${companyId}, id, 'Standard', 'flat', '{"cost": 0}', ${now}, ${now} from zone`);
}

/** Makes the owners of the installation owners of a new company. */
export async function inheritOwners(db: Queryable, companyId: number, now: Date): Promise<void> {
  await db.query(sql`
    insert into members (company_id, person_id, role, created_at)
    select ${companyId}, id, 'owner', ${now} from persons where owns_all`);
}
