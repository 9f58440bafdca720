import type { SendingCompany } from '../../settings/settings.ts';
import { sendingDomainOf } from '../signing.ts';
import type { WarmingDomain } from './plan.ts';

/** Returns the warm-up plan of the longest sending domain that equals or contains the sender's domain. null if it has none. */
export function warmingDomainOf(
  { warmUps, signers }: Pick<SendingCompany, 'warmUps' | 'signers'>,
  from: string,
): WarmingDomain | null {
  const warming = sendingDomainOf(warmUps, from);
  if (warming === null) return null;
  // A verified subdomain without a warm-up is not limited by its parent's.
  const signer = sendingDomainOf(signers, from);
  return signer !== null && signer.domain.length > warming.domain.length ? null : warming;
}
