import type { CompanyCache } from '../../access/company-cache.ts';
import type { Db } from '../../db/pool.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { Settled } from '../ledger/settle-queries.ts';
import type { OutgoingMessage } from '../send/transports/port.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { companiesWithHeld, heldUntil, releaseHeld } from './held-queries.ts';
import { type MissingSetting, missingFor, missingOf, SETTINGS } from './missing-settings.ts';

/** A receipt that waited for so long says nothing new any more: mail servers try for no longer. */
const RECEIPT_MS = 3 * 24 * 3_600_000;
const RELEASED_AT_ONCE = 5_000;

/**
 * What becomes of a claimed message that cannot go out; null: it can, as far as is known before it is made. Held messages
 * are due at a moment that never comes, so that nobody looks at them again until the setting is there.
 */
export function holdBefore(missing: readonly MissingSetting[], message: ClaimedMessage): Settled | null {
  const { channel, origin, transactional } = message;
  // Marketing mails and our own always carry one. Of the rest it is seen once they are made.
  const link = channel === 'email' && (!transactional || origin.kind === 'system');
  return heldBy(missingFor(missing, channel, link), message);
}

/** The same once it is made. `base` is the address that its links begin with. */
export function holdLinked(
  missing: readonly MissingSetting[],
  message: ClaimedMessage,
  outgoing: OutgoingMessage,
  base: string,
): Settled | null {
  return missing.length === 0 || !carriesLink(outgoing, base)
    ? null
    : heldBy(missingFor(missing, message.channel, true), message);
}

function heldBy(setting: MissingSetting | null, { id, epoch, origin }: ClaimedMessage): Settled | null {
  if (setting === null) return null;
  // A campaign was refused before. What has a link after all is shown among what failed, and can be sent again.
  if (origin.kind === 'campaign') return { id, epoch, status: 'failed', reason: setting.cause };
  return { id, epoch, status: 'queued', reason: `held: ${setting.cause}`, dueAt: heldUntil(setting) };
}

function carriesLink(outgoing: OutgoingMessage, base: string): boolean {
  if (outgoing.channel === 'sms') return outgoing.text.includes(`${base}/`);
  if (outgoing.content === null) return outgoing.linked !== false;
  return JSON.stringify(outgoing.content).includes(`${base}/`);
}

/** Makes what was held for settings that are there by now due again, and skips what has become too late. Gives how many. */
export async function releaseHolds(
  db: Db,
  companies: CompanyCache<SendingCompany>,
  missing: readonly MissingSetting[],
  now: Date,
): Promise<number> {
  let released = 0;
  for (const setting of SETTINGS) {
    for (const companyId of await companiesWithHeld(db, setting, missing.includes(setting))) {
      const company = await companies.get(companyId);
      if (missingOf(missing, company).includes(setting)) continue;
      const { max_lateness_hours: hours } = company;
      const late = {
        marketing: new Date(now.getTime() - hours * 3_600_000),
        transactional: new Date(now.getTime() - RECEIPT_MS),
      };
      for (let n = RELEASED_AT_ONCE; n === RELEASED_AT_ONCE; released += n) {
        n = await releaseHeld(db, companyId, setting, { late, now, limit: RELEASED_AT_ONCE });
      }
    }
  }
  return released;
}
