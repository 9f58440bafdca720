import type { KeyObject } from 'node:crypto';
import type { Tx } from '../db/pool.ts';
import type { ContactStatus } from '../marketing/contacts/status.ts';
import type { Channel } from './message.ts';
import { deleteSuppressions, findAddresses, insertSuppressions, type Suppression } from './record-queries.ts';
import { suppressionHash } from './tokens.ts';

/** A contact that is being erased. */
export interface Leaving {
  email: string | null;
  phone: string | null;
  status: ContactStatus;
}

/** Who must not be written to, whatever becomes of the contact whose address it is. */
export interface Suppressions {
  /** Keeps the addresses of those who had left or bounced, as keyed hashes: whoever imports them again writes to nobody. */
  keep(tx: Tx, companyId: number, contacts: Leaving[], now: Date): Promise<void>;
  /** The contacts have come back: whatever was kept of their addresses goes, but for what a person put there. */
  lift(tx: Tx, companyId: number, contactIds: number[]): Promise<void>;
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
    },
  };
}
