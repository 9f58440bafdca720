import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import type { ConsentSource, ConsentState } from '../../recipients/consent.ts';
import { suppressionHash } from '../consent/tokens.ts';
import type { Channel } from '../ledger/message.ts';
import type { SuppressionCause } from './contract.ts';
import {
  clearSoftBounces,
  deleteSuppressions,
  findSuppressions,
  insertSuppressions,
  type Suppression,
} from './queries.ts';

/** A contact that is being erased. */
export interface Leaving {
  email: string | null;
  phone: string | null;
  email_consent: ConsentState;
  email_consent_source: ConsentSource;
  sms_consent: ConsentState;
  sms_consent_source: ConsentSource;
  email_bounced: boolean;
}

export interface Address {
  channel: Channel;
  address: string;
}

/** Why an address is suppressed. */
export interface Suppressed {
  cause: SuppressionCause;
  /** The source of an opt-out; null if it was not recorded. For a bounced address, null if nobody opted out. */
  source: ConsentSource | null;
}

/** Whether someone opted out; not implied by a bounce or a manual suppression. */
export function isNo({ cause, source }: Suppressed): boolean {
  return cause === 'unsubscribe' || cause === 'complaint' || (cause === 'bounce' && source !== null);
}

/** An entry for a suppressed address, without the address itself. */
export interface SuppressionEntry extends Suppressed {
  channel: Channel;
  /** Keyed hash, in hexadecimal. */
  hash: string;
}

/** The suppressions of a contact's addresses. */
export type SuppressedChannels = Record<Channel, Suppressed | null>;

/** The addresses that must not be written to, stored as keyed hashes so that they outlive their contacts. */
export interface Suppressions {
  add(tx: Tx, companyId: number, entries: (Address & Suppressed)[], now: Date): Promise<void>;
  /** Stores the addresses of contacts being erased, if they had opted out or bounced. */
  keep(tx: Tx, companyId: number, contacts: Leaving[], now: Date): Promise<void>;
  /** Removes suppressions except manual ones; with `from`, only those with that source. */
  lift(tx: Tx, companyId: number, addresses: Address[], from?: ConsentSource): Promise<void>;
  /** The contacts' mailboxes accept mail again, or are different ones: refusals are counted anew. */
  forgetRefusals(tx: Tx, companyId: number, contactIds: number[]): Promise<void>;
  /** Returns results in the order of the contacts, with one statement. */
  find(tx: Tx, companyId: number, contacts: Pick<Leaving, 'email' | 'phone'>[]): Promise<SuppressedChannels[]>;
  /** Returns the suppressed addresses of the contacts in a form without personal data. */
  list(tx: Tx, companyId: number, contacts: Pick<Leaving, 'email' | 'phone'>[]): Promise<SuppressionEntry[]>;
  /** Stores the entries returned by `list`. */
  restore(tx: Tx, companyId: number, entries: SuppressionEntry[], now: Date): Promise<void>;
}

export function createSuppressions(tokenKey: KeyObject): Suppressions {
  const hashOf = ({ channel, address }: Address): Buffer => suppressionHash(tokenKey, channel, address);
  const add: Suppressions['add'] = async (tx, companyId, entries, now) => {
    if (entries.length === 0) return;
    const rows = entries.map(({ channel, address, cause, source }): Suppression => {
      return { channel, hash: hashOf({ channel, address }), cause, source };
    });
    await insertSuppressions(tx, companyId, rows, now);
  };

  return {
    add,
    keep: (tx, companyId, contacts, now) => add(tx, companyId, contacts.flatMap(reasonsOf), now),
    async lift(tx, companyId, addresses, from) {
      if (addresses.length === 0) return;
      const lifted = addresses.map((address) => ({ channel: address.channel, hash: hashOf(address) }));
      await deleteSuppressions(tx, companyId, lifted, from ?? null);
    },
    forgetRefusals: clearSoftBounces,
    async find(tx, companyId, contacts) {
      const asked = contacts.map(({ email, phone }) => ({
        email: email === null ? null : hashOf({ channel: 'email', address: email }).toString('hex'),
        sms: phone === null ? null : hashOf({ channel: 'sms', address: phone }).toString('hex'),
      }));
      const hashes = asked.flatMap(({ email, sms }) => [
        ...(email === null ? [] : [{ channel: 'email' as const, hash: email }]),
        ...(sms === null ? [] : [{ channel: 'sms' as const, hash: sms }]),
      ]);
      const found = await findSuppressions(tx, companyId, hashes);
      const byAddress = new Map(found.map(({ channel, hash, cause, source }) => [channel + hash, { cause, source }]));
      const of = (channel: Channel, hash: string | null): Suppressed | null =>
        hash === null ? null : (byAddress.get(channel + hash) ?? null);
      return asked.map(({ email, sms }) => ({ email: of('email', email), sms: of('sms', sms) }));
    },
    async list(tx, companyId, contacts) {
      const addresses = contacts.flatMap(({ email, phone }): Address[] => [
        ...(email === null ? [] : [{ channel: 'email' as const, address: email }]),
        ...(phone === null ? [] : [{ channel: 'sms' as const, address: phone }]),
      ]);
      const hashes = addresses.map((address) => ({ channel: address.channel, hash: hashOf(address).toString('hex') }));
      const found = await findSuppressions(tx, companyId, hashes);
      return found.map(({ channel, hash, cause, source }) => ({ channel, hash, cause, source }));
    },
    async restore(tx, companyId, entries, now) {
      if (entries.length === 0) return;
      const rows = entries.map((entry) => ({ ...entry, hash: Buffer.from(entry.hash, 'hex') }));
      await insertSuppressions(tx, companyId, rows, now);
    },
  };
}

/** Returns what has to be remembered about a contact's addresses. */
function reasonsOf(contact: Leaving): (Address & Suppressed)[] {
  const { email, phone } = contact;
  const reasons: (Address & Suppressed)[] = [];
  if (email !== null) {
    const mail = { channel: 'email' as const, address: email, source: contact.email_consent_source };
    const left = contact.email_consent === 'unsubscribed';
    if (contact.email_bounced) reasons.push({ ...mail, cause: 'bounce', source: left ? mail.source : null });
    else if (left) reasons.push({ ...mail, cause: 'unsubscribe' });
  }
  if (phone !== null && contact.sms_consent === 'unsubscribed') {
    reasons.push({ channel: 'sms', address: phone, cause: 'unsubscribe', source: contact.sms_consent_source });
  }
  return reasons;
}
