import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { DomainBudget } from './domain-budget.ts';

/** Returns the used budgets of the domains, locked until COMMIT in the order of their names; new domains have their full limit. */
export async function lockBudgets(
  tx: Tx,
  companyId: number,
  domains: string[],
  now: Date,
): Promise<Map<string, DomainBudget>> {
  const sorted = domains.toSorted();
  await tx.query(sql`
    insert into domain_rates (company_id, domain, free_at, put_off_to)
    select ${companyId}, domain, '-infinity', ${now}::timestamptz from unnest(${sorted}::text[]) as v (domain) order by domain
    on conflict (company_id, domain) do nothing`);
  const rows = await tx.query<{ domain: string; free_at: Date; put_off_to: Date }>(sql`
    select domain, greatest(free_at, '2000-01-01') as free_at, put_off_to from domain_rates
    where company_id = ${companyId} and domain = any(${sorted}::text[]) order by domain for update`);
  return new Map(
    rows.map(({ domain, free_at, put_off_to }) => [
      domain,
      { freeAt: free_at.getTime(), putOffTo: put_off_to.getTime() },
    ]),
  );
}

export async function saveBudgets(tx: Tx, companyId: number, budgets: Map<string, DomainBudget>): Promise<void> {
  const entries = [...budgets];
  await tx.query(sql`
    update domain_rates r set free_at = v.free_at, put_off_to = v.put_off_to
    from unnest(${entries.map(([domain]) => domain)}::text[],
      ${entries.map(([, { freeAt }]) => new Date(freeAt))}::timestamptz[],
      ${entries.map(([, { putOffTo }]) => new Date(putOffTo))}::timestamptz[]) as v (domain, free_at, put_off_to)
    where r.company_id = ${companyId} and r.domain = v.domain`);
}
