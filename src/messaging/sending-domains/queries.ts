import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { Findings } from './dns-records.ts';
import type { NewDomainKey } from './keys.ts';
import type { DomainState, Standing } from './state.ts';
import type { WarmUpPlan } from './warm-up/plan.ts';

export interface DomainRow {
  id: number;
  domain: string;
  selector: string;
  public_key: string;
  state: DomainState;
  findings: Findings;
  verified_at: Date | null;
  failing_since: Date | null;
  checked_at: Date | null;
  created_at: Date;
  warm_up: WarmUpPlan | null;
  tracking_host: string | null;
  tracking_since: Date | null;
  /** Whether the host is verified; null if it never was. */
  tracking_active: boolean | null;
}

const DOMAIN =
  rawSql(`id, domain, selector, public_key, state, findings, verified_at, failing_since, checked_at, created_at, warm_up,
  tracking_host, tracking_since, (select h.active from tracking_hosts h where h.company_id = sending_domains.company_id
    and h.host = sending_domains.tracking_host) as tracking_active`);

export async function listDomains(
  db: Queryable,
  companyId: number,
  page: { skip: number; take: number },
): Promise<{ rows: DomainRow[]; total: number }> {
  const rows = await db.query<DomainRow & { total: number }>(sql`
    select ${DOMAIN}, count(*) over () as total from sending_domains
    where company_id = ${companyId} order by id offset ${page.skip} limit ${page.take}`);
  return { rows, total: rows[0]?.total ?? (await countDomains(db, companyId)).n };
}

/** Returns how many domains the company has, and whether `domain` is one of them. */
export async function countDomains(
  db: Queryable,
  companyId: number,
  domain = '',
): Promise<{ n: number; has: boolean }> {
  const rows = await db.query<{ n: number; has: boolean }>(sql`
    select count(*) as n, coalesce(bool_or(domain = ${domain}), false) as has
    from sending_domains where company_id = ${companyId}`);
  return rows[0]!;
}

export async function findDomain(
  db: Queryable,
  companyId: number,
  id: number,
  lock = false,
): Promise<DomainRow | undefined> {
  const rows = await db.query<DomainRow>(sql`
    select ${DOMAIN} from sending_domains where company_id = ${companyId} and id = ${id}
    ${lock ? rawSql('for update') : emptySql}`);
  return rows[0];
}

/** Returns undefined if the company already has the domain. */
export async function insertDomain(
  tx: Tx,
  companyId: number,
  {
    domain,
    key,
    sealedKey,
    now,
    dueAt,
  }: { domain: string; key: NewDomainKey; sealedKey: string; now: Date; dueAt: Date },
): Promise<DomainRow | undefined> {
  const rows = await tx.query<DomainRow>(sql`
    insert into sending_domains (company_id, domain, selector, public_key, sealed_key, due_at, created_at)
    values (${companyId}, ${domain}, ${key.selector}, ${key.publicKey}, ${sealedKey}, ${dueAt}, ${now})
    on conflict (company_id, domain) do nothing returning ${DOMAIN}`);
  return rows[0];
}

/** Returns who has verified one of the domains, and whether its record was there at the last check. */
export async function findVerifiers(
  db: Queryable,
  domains: readonly string[],
): Promise<{ company_id: number; state: Exclude<DomainState, 'pending'> }[]> {
  return db.query(sql`
    select company_id, state from sending_domains where domain = any(${[...domains]}::text[]) and state <> 'pending'`);
}

export async function recordCheck(
  tx: Tx,
  companyId: number,
  id: number,
  check: Standing & { findings: Findings; now: Date; dueAt: Date },
): Promise<DomainRow> {
  const rows = await tx.query<DomainRow>(sql`
    update sending_domains set state = ${check.state}, findings = ${check.findings}, verified_at = ${check.verifiedAt},
      failing_since = ${check.failingSince}, checked_at = ${check.now}, due_at = ${check.dueAt}
    where company_id = ${companyId} and id = ${id} returning ${DOMAIN}`);
  return rows[0]!;
}

/** null ends the warm-up. */
export async function setWarmUp(
  tx: Tx,
  companyId: number,
  id: number,
  plan: WarmUpPlan | null,
): Promise<DomainRow | undefined> {
  const rows = await tx.query<DomainRow>(sql`
    update sending_domains set warm_up = ${plan}::jsonb where company_id = ${companyId} and id = ${id} returning ${DOMAIN}`);
  return rows[0];
}

export async function deleteDomain(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<{ domain: string; tracking_host: string | null } | undefined> {
  const rows = await tx.query<{ domain: string; tracking_host: string | null }>(
    sql`delete from sending_domains where company_id = ${companyId} and id = ${id} returning domain, tracking_host`,
  );
  return rows[0];
}

/** Selects the first due domain of each company with one index probe each (a loose index scan). */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from sending_domains order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from sending_domains where company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** Returns companies with domains due for a check, the longest due first. */
export async function companiesWithDue(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive ${FIRST_DUE}
    select company_id from first_due where due_at <= ${now} order by due_at, company_id`);
  return rows.map((row) => row.company_id);
}

/** Returns when the next check after `now` is due, in any company. */
export async function nextDue(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(next.due_at) as due_at from first_due cross join lateral (
      select due_at from sending_domains d where d.company_id = first_due.company_id and d.due_at > ${now}
      order by d.due_at limit 1) next`);
  return rows[0]!.due_at;
}

/** Claims due domains of a company; if the process dies, the check is repeated at `again`. */
export async function claimDue(
  tx: Tx,
  companyId: number,
  claim: { now: Date; again: Date; limit: number },
): Promise<DomainRow[]> {
  return tx.query<DomainRow>(sql`
    with due as materialized (
      select id as due_id from sending_domains where company_id = ${companyId} and due_at <= ${claim.now}
      order by due_at limit ${claim.limit} for update skip locked
    )
    update sending_domains set due_at = ${claim.again} from due
    where company_id = ${companyId} and id = due_id returning ${DOMAIN}`);
}
