import type { KeyObject } from 'node:crypto';
import type { Tx } from '../db/pool.ts';
import type { ContactStatus } from '../marketing/contacts/status.ts';
import { findSuppressions } from './gate-queries.ts';
import type { Channel } from './message.ts';
import {
  clearSoftBounces,
  deleteSuppressions,
  findAddresses,
  insertSuppressions,
  type Suppression,
  type SuppressionCause,
} from './record-queries.ts';
import { suppressionHash } from './tokens.ts';

/** A contact that is being erased. */
export interface Leaving {
  email: string | null;
  phone: string | null;
  status: ContactStatus;
}

/** What a contact with a suppressed address is to be. */
export type Suppressed = Exclude<ContactStatus, 'subscribed'>;

/** Who must not be written to, whatever becomes of the contact whose address it is. */
export interface Suppressions {
  /** Keeps the addresses of those who had left or bounced, as keyed hashes: whoever imports them again writes to nobody. */
  keep(tx: Tx, companyId: number, contacts: Leaving[], now: Date): Promise<void>;
  /** The contacts have come back: whatever was kept of their addresses goes, but for what a person put there. */
  lift(tx: Tx, companyId: number, contactIds: number[]): Promise<void>;
  /** In the order of the contacts; null for those against whose addresses nothing is kept. One turn. */
  find(tx: Tx, companyId: number, contacts: Pick<Leaving, 'email' | 'phone'>[]): Promise<(Suppressed | null)[]>;
}

/** What is kept against a contact's addresses, null where it has none or nothing is. */
interface Causes {
  email: SuppressionCause | null;
  sms: SuppressionCause | null;
}

/**
 * Who left does not come back with one of two addresses. What else is kept against a phone, a number put there by hand,
 * says nothing of the e-mails to one who has an e-mail address.
 */
export function suppressedStatus({ email, sms }: Causes, hasEmail: boolean): Suppressed | null {
  const phone = hasEmail && (sms === 'manual' || sms === 'bounce') ? null : sms;
  const causes = [email, phone].filter((cause) => cause !== null);
  if (causes.length === 0) return null;
  return causes.every((cause) => cause === 'bounce') ? 'bounced' : 'unsubscribed';
}

function hashesOf(hashes: { email: string | null; sms: string | null }): { channel: Channel; hash: string }[] {
  return (['email', 'sms'] as const).flatMap((channel) => {
    const hash = hashes[channel];
    return hash === null ? [] : [{ channel, hash }];
  });
}

export function createSuppressions(tokenKey: KeyObject): Suppressions {
  const hashOf = (channel: Channel, address: string): Buffer => suppressionHash(tokenKey, channel, address);

  return {
    async keep(tx, companyId, contacts, now) {
      const kept = contacts.flatMap(({ email, phone, status }): Suppression[] => {
        if (status === 'subscribed') return [];
        const cause = status === 'bounced' ? 'bounce' : 'unsubscribe';
        return [
          ...(email === null ? [] : [{ channel: 'email' as const, hash: hashOf('email', email), cause } as const]),
          // A dead mailbox says nothing of the phone.
          ...(phone === null || status === 'bounced'
            ? []
            : [{ channel: 'sms' as const, hash: hashOf('sms', phone), cause } as const]),
        ];
      });
      if (kept.length > 0) await insertSuppressions(tx, companyId, kept, now);
    },
    async lift(tx, companyId, contactIds) {
      const addresses = await findAddresses(tx, companyId, contactIds);
      const lifted = addresses.map(({ channel, address }) => ({ channel, hash: hashOf(channel, address) }));
      if (lifted.length > 0) await deleteSuppressions(tx, companyId, lifted);
      await clearSoftBounces(tx, companyId, contactIds);
    },
    async find(tx, companyId, contacts) {
      const asked = contacts.map(({ email, phone }) => ({
        email: email === null ? null : hashOf('email', email).toString('hex'),
        sms: phone === null ? null : hashOf('sms', phone).toString('hex'),
      }));
      const found = await findSuppressions(tx, companyId, asked.flatMap(hashesOf));
      if (found.length === 0) return contacts.map(() => null);
      const causes = new Map(found.map(({ channel, hash, cause }) => [channel + hash, cause]));
      const causeOf = (channel: Channel, hash: string | null): SuppressionCause | null =>
        hash === null ? null : (causes.get(channel + hash) ?? null);
      return asked.map(({ email, sms }) =>
        suppressedStatus({ email: causeOf('email', email), sms: causeOf('sms', sms) }, email !== null),
      );
    },
  };
}
