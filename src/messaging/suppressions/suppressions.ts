import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import type { ConsentSource, ConsentState } from '../../marketing/contacts/consent/states.ts';
import { suppressionHash } from '../consent/tokens.ts';
import { findSuppressions } from '../gate/gate-queries.ts';
import {
  clearSoftBounces,
  deleteSuppressions,
  insertSuppressions,
  type Suppression,
  type SuppressionCause,
} from '../ledger/delivery-queries.ts';
import type { Channel } from '../ledger/message.ts';

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
  /** Where a no came from; null where nobody noted it. Of an address that bounced: null where nobody said no. */
  source: ConsentSource | null;
}

/** Whether somebody said no: an address that bounced, or was suppressed by hand, need not be one of these. */
export function isNo({ cause, source }: Suppressed): boolean {
  return cause === 'unsubscribe' || cause === 'complaint' || (cause === 'bounce' && source !== null);
}

/** An address that must not be written to, without the address. */
export interface SuppressionEntry extends Suppressed {
  channel: Channel;
  /** Keyed, in hexadecimal. */
  hash: string;
}

/** What suppresses a contact's addresses. */
export type SuppressedChannels = Record<Channel, Suppressed | null>;

/** Which addresses must not be written to, whatever becomes of the contact whose they are: stored as keyed hashes. */
export interface Suppressions {
  add(tx: Tx, companyId: number, entries: (Address & Suppressed)[], now: Date): Promise<void>;
  /** Stores the addresses of contacts that are being erased, where they had said no or bounced. */
  keep(tx: Tx, companyId: number, contacts: Leaving[], now: Date): Promise<void>;
  /** Removes suppressions except those a person made; with `from` only those of that source. */
  lift(tx: Tx, companyId: number, addresses: Address[], from?: ConsentSource): Promise<void>;
  /** The contacts' mailboxes take mail again, or are others: refusals are counted anew. */
  forgetRefusals(tx: Tx, companyId: number, contactIds: number[]): Promise<void>;
  /** In the order of the contacts. One turn. */
  find(tx: Tx, companyId: number, contacts: Pick<Leaving, 'email' | 'phone'>[]): Promise<SuppressedChannels[]>;
  /** Those of the contacts' addresses that are suppressed, to be stored where nothing of the person may be. */
  list(tx: Tx, companyId: number, contacts: Pick<Leaving, 'email' | 'phone'>[]): Promise<SuppressionEntry[]>;
  /** Stores what `list` gave. */
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

/** What is to be remembered of a contact's addresses. */
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
