import type { Queryable } from '../../db/pool.ts';
import { activeAccount } from '../sending-accounts/accounts.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { findVerifiers } from './queries.ts';
import { domainOfAddress, sendingDomainOf } from './signing.ts';

/**
 * Whether the sender's domain belongs to another company: it has verified the domain, or one above it, and this company has not. Where both
 * have, the one whose record is gone from the DNS may no longer. Only for the installation's transport, which accepts the senders of all; a
 * company's own account knows what is its own. `db` must see every company.
 */
export async function isForeignSender(db: Queryable, company: SendingCompany, from: string): Promise<boolean> {
  if (activeAccount(company, 'email') !== null || sendingDomainOf(company.signers, from)?.failing === false)
    return false;
  const verifiers = await findVerifiers(db, withParents(domainOfAddress(from)));
  const isOwn = verifiers.some(({ company_id }) => company_id === company.companyId);
  return verifiers.some(
    ({ company_id, state }) => company_id !== company.companyId && (!isOwn || state === 'verified'),
  );
}

/** `a.b.example` is followed by `b.example`. */
function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
}
