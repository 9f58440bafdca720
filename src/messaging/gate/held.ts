import type { CompanyCache } from '../../access/company-cache.ts';
import type { Db } from '../../db/pool.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { Settled } from '../ledger/settle-queries.ts';
import type { OutgoingMessage } from '../send/transports/port.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { companiesWithHeld, HELD_WHILE_PAUSED, heldUntil, releaseHeld } from './held-queries.ts';
import { type MissingSetting, missingFor, missingOf, SETTINGS } from './missing-settings.ts';

/** A receipt that waited this long is useless: mail servers also retry no longer than this. */
const RECEIPT_MS = 3 * 24 * 3_600_000;
const RELEASED_AT_ONCE = 5_000;

/**
 * Returns the outcome of a claimed message that cannot be sent; null if it can, as far as is known before it is composed. Held messages
 * have a due time that never comes, so that they are not claimed again until the setting exists.
 */
export function holdBefore(missing: readonly MissingSetting[], message: ClaimedMessage): Settled | null {
  const { channel, origin, transactional } = message;
  // Marketing mails and our own always contain a link. For others this is only known once they are composed.
  const link = channel === 'email' && (!transactional || origin.kind === 'system');
  return heldBy(missingFor(missing, channel, link), message);
}

/** Like `holdBefore`, for a composed message. `base` is the base URL of its links. */
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
  // Such a campaign is refused at the start. If one has a link after all, its messages fail visibly and can be sent again.
  if (origin.kind === 'campaign') return { id, epoch, status: 'failed', reason: setting.cause };
  return { id, epoch, status: 'queued', reason: `held: ${setting.cause}`, dueAt: heldUntil(setting) };
}

/**
 * Returns the outcome of a claimed message of a company whose marketing e-mail is paused; null if it may be sent. A campaign's message is
 * released: the campaign is paused with the company, or will be as soon as a worker notices.
 */
export function holdPaused({ paused }: SendingCompany, message: ClaimedMessage): Settled | null {
  const { id, epoch, channel, transactional, origin } = message;
  if (paused === null || channel !== 'email' || transactional || origin.kind === 'system') return null;
  if (origin.kind === 'campaign') return { id, epoch, status: 'queued' };
  return { id, epoch, status: 'queued', reason: 'held: marketing_paused', dueAt: HELD_WHILE_PAUSED };
}

function carriesLink(outgoing: OutgoingMessage, base: string): boolean {
  if (outgoing.channel === 'sms') return outgoing.text.includes(`${base}/`);
  if (outgoing.content === null) return outgoing.linked !== false;
  return JSON.stringify(outgoing.content).includes(`${base}/`);
}

/**
 * Releases messages held for settings that exist by now and for pauses that have ended; skips those that are too late. Returns how many.
 */
export async function releaseHolds(
  db: Db,
  companies: CompanyCache<SendingCompany>,
  missing: readonly MissingSetting[],
  now: Date,
): Promise<number> {
  let released = 0;
  for (const setting of SETTINGS) {
    const until = heldUntil(setting);
    const own = missing.includes(setting) ? { ownChannel: setting.channel } : {};
    for (const companyId of await companiesWithHeld(db, until, own)) {
      const company = await companies.get(companyId);
      if (!missingOf(missing, company).includes(setting)) released += await release(db, company, until, now);
    }
  }
  for (const companyId of await companiesWithHeld(db, HELD_WHILE_PAUSED)) {
    const company = await companies.get(companyId);
    if (company.paused === null) released += await release(db, company, HELD_WHILE_PAUSED, now);
  }
  return released;
}

/** Returns how many. */
async function release(db: Db, company: SendingCompany, until: Date, now: Date): Promise<number> {
  const late = {
    marketing: new Date(now.getTime() - company.max_lateness_hours * 3_600_000),
    transactional: new Date(now.getTime() - RECEIPT_MS),
  };
  let released = 0;
  for (let n = RELEASED_AT_ONCE; n === RELEASED_AT_ONCE; released += n) {
    n = await releaseHeld(db, company.companyId, until, { late, now, limit: RELEASED_AT_ONCE });
  }
  return released;
}
