import { domainOfAddress, isAligned } from '../../sending-domains/signing.ts';
import type { SendingCompany } from '../../settings/settings.ts';
import { senderOf } from '../drafts.ts';
import type { Finding } from './findings.ts';

/** Returns findings on a sender; null is the company's own. Mail of a domain that is not verified is not signed. */
export function senderFindings(company: SendingCompany, sender: string | null): Finding[] {
  const { address } = senderOf(sender, company);
  if (isAligned(company, address)) return [];
  const detail = domainOfAddress(address).slice(0, 200);
  return [{ code: 'unverified_sender', field: 'from', detail, suggestion: null }];
}
