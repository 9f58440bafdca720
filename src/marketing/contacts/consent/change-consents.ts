import type { Tx } from '../../../db/pool.ts';
import { isNo, type Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import * as queries from './queries.ts';
import {
  CHANNELS,
  type Channel,
  type ConsentSource,
  type ConsentState,
  consentOf,
  type Evidence,
  shopState,
} from './states.ts';

export { updatePreferences } from './preference-queries.ts';
export { markBounced } from './queries.ts';

/** What somebody said, or what became known of them. */
export interface ConsentChange {
  channels: readonly Channel[];
  state: ConsentState;
  source: ConsentSource;
  /** What the timeline tells where the contact's status changes by it. */
  cause: string;
  evidence?: Evidence | undefined;
  now: Date;
}

/**
 * Changes the consents of contacts, with all that follows: history and timeline, the suppression of the addresses after a no,
 * its lifting after a yes. A yes lifts whatever suppressed the addresses but what a person suppressed by hand.
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
 * A customer of the shop changes whether they accept marketing by e-mail, in the shop's own transaction. The shop's yes takes
 * back the shop's no alone; its no takes a yes back, and suppresses the addresses so that nobody else's word brings them back.
 * Of a customer whom nobody made a contact yet, `email` is the address.
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
  // Nobody is asked about SMS in the shop: its no counts for that, too, its yes does not.
  for (const channel of accepts ? (['email'] as const) : CHANNELS) {
    const address = channel === 'email' ? addresses.email : addresses.phone;
    const against = suppressed![channel];
    const ownNo = against !== null && isNo(against) && against.source === 'shop';
    const isDead = against !== null && against.cause === 'bounce' && against.source === null;
    // A no from elsewhere stands: the address stays suppressed, and so does the contact. That it is dead is nobody's word.
    if (accepts && against !== null && !ownNo && !isDead) continue;
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
