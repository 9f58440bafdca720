import type { Db, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { Outcome } from '../ledger/settle-queries.ts';
import { domainOf } from './backoffs.ts';

/** Marketing e-mails per hour, by recipient domain. */
export type DomainLimits = Readonly<Record<string, number>>;

/**
 * Returns an outcome for each message that would exceed the limit of its recipient's domain, and null for the others. Other messages
 * overtake postponed ones. Transactional messages are neither counted nor postponed. Does not access the database if no message goes to a
 * domain with a limit.
 */
export async function limitByDomain(
  db: Db,
  { companyId, domainLimits: limits }: { companyId: number; domainLimits: DomainLimits | null },
  messages: readonly { message: ClaimedMessage; facts: { address: string | null } }[],
  now: Date,
): Promise<(Outcome | null)[]> {
  const domains = messages.map(({ message: { channel, transactional }, facts: { address } }) => {
    const domain = address === null || transactional || channel !== 'email' ? null : domainOf(address);
    return domain !== null && limits !== null && Object.hasOwn(limits, domain) ? domain : null;
  });
  const wanted = new Map<string, number>();
  for (const domain of domains) if (domain !== null) wanted.set(domain, (wanted.get(domain) ?? 0) + 1);
  if (limits === null || wanted.size === 0) return domains.map(() => null);
  const leases = await lease(db, companyId, limits, wanted, now);
  return domains.map((domain) => {
    if (domain === null) return null;
    const left = leases.get(domain)!;
    left.granted -= 1;
    return left.granted >= 0
      ? null
      : { status: 'queued', reason: 'domain_limit', dueAt: new Date(left.putOff.shift()!) };
  });
}

/** What a process leases but does not send is lost, never used twice. */
function lease(
  db: Db,
  companyId: number,
  limits: DomainLimits,
  wanted: Map<string, number>,
  now: Date,
): Promise<Map<string, Lease>> {
  return db.tenantTx(companyId, async (tx) => {
    const budgets = await lockBudgets(tx, companyId, [...wanted.keys()], now);
    const leases = new Map(
      [...wanted].map(([domain, messages]) => [
        domain,
        leaseFrom(budgets.get(domain)!, messages, limits[domain]!, now.getTime()),
      ]),
    );
    await saveBudgets(tx, companyId, new Map([...leases].map(([domain, { budget }]) => [domain, budget])));
    return leases;
  });
}

/** The used part of a domain's hourly limit; times in milliseconds since 1970. */
export interface DomainBudget {
  /** Time until which the limit is used up: each message takes its share of an hour. */
  freeAt: number;
  /** Time up to which postponed messages are spread. */
  putOffTo: number;
}

interface Lease {
  budget: DomainBudget;
  /** How many may be sent now. */
  granted: number;
  /** When each of the others is tried again, in milliseconds since 1970. */
  putOff: number[];
}

const HOUR_MS = 3_600_000;
/** After a pause, messages for this much time may be sent at once, but at least one. */
const BURST_MS = 60_000;
/** Postponed messages are tried again within this time, so that a raised limit takes effect. */
const SPREAD_MS = HOUR_MS;
const LEAST_WAIT_MS = 1_000;

/** Takes up to `wanted` messages from a budget of `perHour` and spreads the rest over the time in which they may be sent. */
export function leaseFrom({ freeAt, putOffTo }: DomainBudget, wanted: number, perHour: number, now: number): Lease {
  const gap = HOUR_MS / perHour;
  const burst = Math.max(gap, BURST_MS);
  // A time in the future was written while the clock was ahead.
  const spent = freeAt > now + LEAST_WAIT_MS ? now : Math.max(freeAt, now - burst);
  // Times have millisecond precision.
  const granted = Math.max(0, Math.min(wanted, Math.floor((now - spent + 1) / gap)));
  const putOff: number[] = [];
  const first = now + Math.max(gap, LEAST_WAIT_MS);
  let at = putOffTo > now + SPREAD_MS ? first : Math.max(putOffTo + gap, first);
  for (let i = granted; i < wanted; i += 1, at += gap) {
    if (at > now + SPREAD_MS) at = first;
    putOff.push(Math.floor(at));
  }
  const budget = {
    freeAt: Math.ceil(spent + granted * gap),
    putOffTo: putOff.at(-1) ?? Math.min(putOffTo, now + SPREAD_MS),
  };
  return { budget, granted, putOff };
}

/** Returns the used budgets of the domains, locked until COMMIT in the order of their names; new domains have their full limit. */
async function lockBudgets(
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

async function saveBudgets(tx: Tx, companyId: number, budgets: Map<string, DomainBudget>): Promise<void> {
  const entries = [...budgets];
  await tx.query(sql`
    update domain_rates r set free_at = v.free_at, put_off_to = v.put_off_to
    from unnest(${entries.map(([domain]) => domain)}::text[],
      ${entries.map(([, { freeAt }]) => new Date(freeAt))}::timestamptz[],
      ${entries.map(([, { putOffTo }]) => new Date(putOffTo))}::timestamptz[]) as v (domain, free_at, put_off_to)
    where r.company_id = ${companyId} and r.domain = v.domain`);
}
