import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import { declareTables } from '../../db/table.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { TaxRule } from './match.ts';

export type TaxRuleValues = Omit<TaxRule, 'id'>;
export type TaxRuleRow = TaxRule & { created_at: Date; updated_at: Date };

export const commerceTaxesTables = declareTables('commerce/taxes', {
  tax_rules: {
    description: 'A tax rule.',
    audit: { 'tax-rules': { noun: 'tax_rule', about: 'nobody' } },
  },
});

const columns = rawSql(`id, name, country, state, zip_from, zip_to, rate, priority, compound, applies_to_shipping,
  tax_class, created_at, updated_at`);

export async function countTaxRules(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`select count(*) as n from tax_rules where company_id = ${companyId}`);
  return rows[0]!.n;
}

export async function listTaxRules(db: Queryable, companyId: number, page: PageBounds): Promise<TaxRuleRow[]> {
  return db.query<TaxRuleRow>(sql`
    select ${columns} from tax_rules where company_id = ${companyId}
    order by priority, id offset ${page.skip} limit ${page.take}`);
}

export async function findTaxRule(db: Queryable, companyId: number, id: number): Promise<TaxRuleRow | undefined> {
  const rows = await db.query<TaxRuleRow>(sql`
    select ${columns} from tax_rules where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function lockTaxRule(tx: Tx, companyId: number, id: number): Promise<TaxRuleRow | undefined> {
  const rows = await tx.query<TaxRuleRow>(sql`
    select ${columns} from tax_rules where company_id = ${companyId} and id = ${id} for update`);
  return rows[0];
}

export async function insertTaxRule(tx: Tx, companyId: number, rule: TaxRuleValues, now: Date): Promise<TaxRuleRow> {
  const rows = await tx.query<TaxRuleRow>(sql`
    insert into tax_rules (company_id, name, country, state, zip_from, zip_to, rate, priority, compound,
      applies_to_shipping, tax_class, created_at, updated_at)
    values (${companyId}, ${rule.name}, ${rule.country}, ${rule.state}, ${rule.zip_from}, ${rule.zip_to}, ${rule.rate},
      ${rule.priority}, ${rule.compound}, ${rule.applies_to_shipping}, ${rule.tax_class}, ${now}, ${now})
    returning ${columns}`);
  return rows[0]!;
}

export async function updateTaxRule(
  tx: Tx,
  companyId: number,
  id: number,
  rule: TaxRuleValues,
  now: Date,
): Promise<TaxRuleRow> {
  const rows = await tx.query<TaxRuleRow>(sql`
    update tax_rules set name = ${rule.name}, country = ${rule.country}, state = ${rule.state},
      zip_from = ${rule.zip_from}, zip_to = ${rule.zip_to}, rate = ${rule.rate}, priority = ${rule.priority},
      compound = ${rule.compound}, applies_to_shipping = ${rule.applies_to_shipping}, tax_class = ${rule.tax_class},
      updated_at = ${now}
    where company_id = ${companyId} and id = ${id}
    returning ${columns}`);
  return rows[0]!;
}

export async function deleteTaxRule(tx: Tx, companyId: number, id: number): Promise<TaxRuleRow | undefined> {
  const rows = await tx.query<TaxRuleRow>(sql`
    delete from tax_rules where company_id = ${companyId} and id = ${id} returning ${columns}`);
  return rows[0];
}
