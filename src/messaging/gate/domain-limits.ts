import type { Db } from '../../db/pool.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { Settled } from '../ledger/settle-queries.ts';
import { domainOf } from './domain-backoffs.ts';
import { type Lease, leaseFrom } from './domain-budget.ts';
import { lockBudgets, saveBudgets } from './domain-limit-queries.ts';

/** Marketing e-mails per hour, by recipient domain. */
export type DomainLimits = Readonly<Record<string, number>>;

/**
 * Postpones messages that would exceed the limits of domains; `to` is the address of each message, null if it is not known. Other messages
 * overtake postponed ones. Transactional messages are neither counted nor postponed. Does not access the database if no message goes to a
 * domain with a limit.
 */
export async function putOffByLimits(
  db: Db,
  companyId: number,
  limits: DomainLimits,
  claimed: { message: ClaimedMessage; to: string | null }[],
  now: Date,
): Promise<Settled[]> {
  const limited = claimed.flatMap(({ message, to }) => {
    const domain = to === null || message.transactional ? '' : domainOf(to);
    return Object.hasOwn(limits, domain) ? [{ message, domain }] : [];
  });
  if (limited.length === 0) return [];
  const byDomain = Map.groupBy(limited, ({ domain }) => domain);
  const leases = await lease(
    db,
    companyId,
    limits,
    new Map([...byDomain].map(([of, { length }]) => [of, length])),
    now,
  );
  return [...byDomain].flatMap(([domain, some]) => {
    const { granted, putOff } = leases.get(domain)!;
    return some.slice(granted).map(({ message: { id, epoch } }, i): Settled => {
      return { id, epoch, status: 'queued', reason: 'domain_limit', dueAt: new Date(putOff[i]!) };
    });
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
