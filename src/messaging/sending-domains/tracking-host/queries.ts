import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** Unique index: only one company at a time holds a host. */
export const ONE_HOLDER = 'tracking_hosts_active';
/** Unique index: only one domain of a company has a host. */
export const ONE_DOMAIN = 'sending_domains_tracking';

/** The first check is due at `dueAt`, or sooner if the domain is checked sooner. */
export async function setHost(
  tx: Tx,
  companyId: number,
  id: number,
  { host, now, dueAt }: { host: string | null; now: Date; dueAt: Date },
): Promise<void> {
  await tx.query(sql`
    update sending_domains set tracking_host = ${host}, tracking_since = ${host === null ? null : now},
      findings = findings - 'tracking', due_at = least(due_at, ${dueAt})
    where company_id = ${companyId} and id = ${id}`);
}

export async function lockHosts(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('tracking hosts', ${companyId}))`);
}

/** Counts a company's other hosts admitted or verified since the given time. */
export async function countHostsSince(tx: Tx, companyId: number, but: string, since: Date): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from tracking_hosts
    where company_id = ${companyId} and host <> ${but} and verified_at > ${since}`);
  return rows[0]!.n;
}

/** Inserts a host that is not verified yet. */
export async function admitHost(tx: Tx, companyId: number, host: string, now: Date): Promise<void> {
  await tx.query(sql`
    insert into tracking_hosts (company_id, host, active, verified_at) values (${companyId}, ${host}, false, ${now})
    on conflict (company_id, host) do nothing`);
}

/** Throws a violation of ONE_HOLDER if another company has it. */
export async function activateHost(tx: Tx, companyId: number, host: string, now: Date): Promise<void> {
  await tx.query(sql`
    insert into tracking_hosts (company_id, host, active, verified_at) values (${companyId}, ${host}, true, ${now})
    on conflict (company_id, host) do update set active = true, verified_at = excluded.verified_at`);
}

/** The host keeps working, because e-mails already sent point there. */
export async function deactivateHost(tx: Tx, companyId: number, host: string): Promise<void> {
  await tx.query(
    sql`update tracking_hosts set active = false where company_id = ${companyId} and host = ${host} and active`,
  );
}

export async function setSince(tx: Tx, companyId: number, id: number, since: Date): Promise<void> {
  await tx.query(
    sql`update sending_domains set tracking_since = ${since} where company_id = ${companyId} and id = ${id}`,
  );
}

/** Keeps only the `kept` latest of a company's former hosts. */
export async function dropOldest(tx: Tx, companyId: number, kept: number): Promise<void> {
  await tx.query(sql`
    delete from tracking_hosts where company_id = ${companyId} and host in (
      select host from tracking_hosts where company_id = ${companyId} and not active
      order by verified_at desc, host offset ${kept})`);
}

export interface HeldHost {
  company_id: number;
  host: string;
  active: boolean;
}

export async function findHosts(db: Queryable, companyIds: readonly number[]): Promise<HeldHost[]> {
  return db.query<HeldHost>(
    sql`select company_id, host, active from tracking_hosts where company_id = any(${companyIds})`,
  );
}
