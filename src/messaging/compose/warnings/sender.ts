import { domainOfAddress, isAligned } from '../../sending-domains/signing.ts';
import type { SendingCompany } from '../../settings/settings.ts';
import { senderOf } from '../drafts.ts';
import type { Finding } from './findings.ts';

/** What is to be said of a sender: null stands for the company's own. Nothing is signed by a domain that was not verified. */
export function senderFindings(company: SendingCompany, sender: string | null): Finding[] {
  const { address } = senderOf(sender, company);
  if (isAligned(company, address)) return [];
  const detail = domainOfAddress(address).slice(0, 200);
  return [{ code: 'unverified_sender', field: 'from', detail, suggestion: null }];
}
