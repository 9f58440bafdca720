import type { RequireConfirmed } from '../access/sessions.ts';
import { readSender } from '../lib/addresses.ts';

/** Whether it is the company's own sender: that of its settings, or one of a domain that it has verified. */
export type IsOwnSender = (companyId: number, address: string) => Promise<boolean>;

/** Senders of a campaign or flow as written; empty ones stand for the company's. */
export type Senders = readonly (string | null | undefined)[];

/** People confirm who they are before they choose a sender that is not the company's own. One that was chosen before stays. */
export async function confirmNewSenders(
  isOwnSender: IsOwnSender,
  companyId: number,
  { before, after }: { before: Senders; after: Senders },
  requireConfirmed: RequireConfirmed,
): Promise<void> {
  if (requireConfirmed === null) return;
  const chosen = new Set(addressesOf(before));
  for (const address of addressesOf(after)) {
    if (!chosen.has(address) && !(await isOwnSender(companyId, address))) requireConfirmed();
  }
}

/** Texts that no sender can be read from are refused elsewhere. */
function addressesOf(senders: Senders): string[] {
  return senders.flatMap((sender) => readSender(sender ?? '')?.address ?? []);
}
