import type { Tx } from '../../../db/pool.ts';
import { isNo, type Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, type ConsentChange, consentOf, shopState } from '../../../recipients/consent.ts';
import * as queries from './queries.ts';

export { updatePreferences } from './preference-queries.ts';
export { markBounced } from './queries.ts';

/**
 * Changes the consents of contacts with all consequences: history, timeline, and suppressions. An unsubscription suppresses the
 * addresses; a subscription lifts every suppression except a manual one.
 * See docs/design/consent.md.
 */
export async function changeConsents(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  ids: number[],
  change: ConsentChange,
): Promise<void> {
  for (const channel of change.channels) {
    const contacts = await queries.updateConsents(tx, companyId, ids, { ...change, channel });
    const addresses = contacts.flatMap(({ address }) => (address === null ? [] : [{ channel, address }]));
    if (change.state === 'subscribed') {
      await suppressions.lift(tx, companyId, addresses);
      if (channel === 'email') await suppressions.forgetRefusals(tx, companyId, ids);
    } else if (change.state === 'unsubscribed') {
      const cause = change.source === 'complaint' ? ('complaint' as const) : ('unsubscribe' as const);
      const entries = addresses.map((address) => ({ ...address, cause, source: change.source }));
      await suppressions.add(tx, companyId, entries, change.now);
    }
  }
}

/**
 * Applies a customer's change of `accepts_marketing`, in the shop's own transaction. Accepting takes back only a refusal by the
 * shop itself. Refusing ends a subscription and suppresses the addresses, so that no other source subscribes them again. `email` is
 * the address of a customer who is not a contact yet.
 */
export async function changeShopConsent(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  { id, email, accepts }: { id: number; email: string | null; accepts: boolean },
  now: Date,
): Promise<void> {
  const contact = await queries.lockCustomersContact(tx, companyId, id, email);
  const addresses = contact ?? { email, phone: null };
  const [suppressed] = await suppressions.find(tx, companyId, [addresses]);
  // The shop asks about e-mail only: a refusal counts for SMS as well, an acceptance does not.
  for (const channel of accepts ? (['email'] as const) : CHANNELS) {
    const address = channel === 'email' ? addresses.email : addresses.phone;
    const against = suppressed![channel];
    const ownNo = against !== null && isNo(against) && against.source === 'shop';
    const isBounce = against !== null && against.cause === 'bounce' && against.source === null;
    // A suppression from another source stays, unless it is a bounce: that is not a refusal.
    if (accepts && against !== null && !ownNo && !isBounce) continue;
    const current = contact && consentOf(contact, channel);
    const state = current && shopState(current, accepts, { registration: false, ownNo });
    if (state !== null) {
      await queries.updateConsents(tx, companyId, [contact!.id], {
        channel,
        state,
        source: 'shop',
        cause: 'shop',
        now,
      });
    }
    if (address === null) continue;
    if (accepts) await suppressions.lift(tx, companyId, [{ channel, address }], 'shop');
    else if (state !== null || (channel === 'email' && current?.state !== 'unsubscribed')) {
      await suppressions.add(tx, companyId, [{ channel, address, cause: 'unsubscribe', source: 'shop' }], now);
    }
  }
}
