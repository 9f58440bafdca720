import type { SendingCompany } from '../../settings/settings.ts';
import { sendingDomainOf } from '../signing.ts';
import type { WarmingDomain } from './plan.ts';

/** The plan for e-mails from an address: of the longest sending domain that it is of or below. null where that one has none. */
export function warmingDomainOf(
  { warmUps, signers }: Pick<SendingCompany, 'warmUps' | 'signers'>,
  from: string,
): WarmingDomain | null {
  const warming = sendingDomainOf(warmUps, from);
  if (warming === null) return null;
  // A domain below it that was verified, and is not warmed up, stands for itself.
  const signer = sendingDomainOf(signers, from);
  return signer !== null && signer.domain.length > warming.domain.length ? null : warming;
}
