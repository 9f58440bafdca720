import { AppError, notFound } from '../../../errors.ts';
import type { Membership } from '../../lists/membership.ts';
import type { Channel, ConsentFields, Evidence, InitialConsent } from '../consent/states.ts';
import {
  applyPatch,
  type Contact,
  type ContactPatch,
  emptyContact,
  KEY_FIELDS,
  type KeyField,
  mergeContacts,
  withStatus,
} from '../contact.ts';
import { matchCustomer, type ShopCustomer } from '../customers/match.ts';
import type { ContactStatus } from '../status.ts';

/** One thing asked of one contact. */
export interface ContactDeed {
  /** The contact that is meant. Without it the patch's keys find one, or one is made. */
  contactId?: number;
  patch: ContactPatch;
  /** The source of a contact that the deed makes, where the patch gives none. */
  origin?: string;
  /** Lists to put the contact on. */
  listIds?: number[];
  /** The consents of a contact that the deed makes. */
  initial: InitialConsent;
  /** The shop speaks of its customer, who is found as customers/match.ts has it. */
  isOfShop?: true;
  now: Date;
}

/** A contact as a set of deeds finds it and leaves it. */
export interface Slot {
  /** Null until it is inserted. */
  id: number | null;
  stored: Contact | null;
  current: Contact;
  lists: Membership[];
  /** What the deeds said of the consents beside their states. */
  evidence?: Partial<Record<Channel, Evidence>>;
  /** What became of the consents since an address turned out to be suppressed. */
  suppressed?: ConsentFields & { status: ContactStatus };
}

/** What a deed comes to, before anything of it has happened. */
export interface Plan {
  slot: Slot | null;
  /** Contacts that become part of `slot`'s. */
  losers: Slot[];
  /** Contacts that give up an address, as they are without it. */
  givers: { slot: Slot; next: Contact }[];
  next: Contact;
}

const PREFIX = { external_id: 'x:', email: 'e:', phone: 'p:' } as const;

/** The keys that a contact has or a patch gives, as texts that no two kinds share. */
export function keysOf(holder: Pick<ContactPatch, (typeof KEY_FIELDS)[number]>): string[] {
  const keys: string[] = [];
  for (const field of KEY_FIELDS) {
    const value = holder[field];
    if (value !== null && value !== undefined) keys.push(PREFIX[field] + value);
  }
  return keys;
}

/**
 * The contacts that a set of deeds concerns, in memory: each deed is planned against what the deeds before it left, so
 * that a set ends as if its deeds had been done one after the other.
 */
export class WorkingSet {
  private readonly byKey = new Map<string, Slot>();
  private readonly byId = new Map<number, Slot>();
  private readonly dirty = new Set<Slot>();
  /** Keys that contacts gave up and that the database still has. */
  private readonly released = new Set<string>();
  /** By external_id: the shop's customers among those whose contacts have what others are to get. */
  private readonly customers: Map<string, ShopCustomer>;

  constructor(customers: Map<string, ShopCustomer>) {
    this.customers = customers;
  }

  load(id: number, contact: Contact, lists: Membership[]): void {
    const slot: Slot = { id, stored: contact, current: contact, lists };
    this.byId.set(id, slot);
    for (const key of keysOf(contact)) this.byKey.set(key, slot);
  }

  /** The contacts that have keys of the patch, in the order of the keys. */
  holders(patch: ContactPatch): Slot[] {
    const slots = new Set(keysOf(patch).map((key) => this.byKey.get(key)));
    return [...slots].filter((slot) => slot !== undefined);
  }

  /** Throws AppError where the deed is refused. */
  plan(deed: ContactDeed): Plan {
    if (deed.isOfShop) return this.planCustomer(deed);
    const holders = this.holders(deed.patch);
    const { slot, losers } = deed.contactId === undefined ? matched(holders, deed.patch) : this.meant(deed, holders);
    return { slot, losers, givers: [], next: nextOf(slot, losers, deed.patch, deed) };
  }

  private planCustomer(deed: ContactDeed): Plan {
    const holders: Partial<Record<KeyField, Slot>> = {};
    for (const field of KEY_FIELDS) {
      const [key] = keysOf({ [field]: deed.patch[field] });
      const holder = key === undefined ? undefined : this.byKey.get(key);
      if (holder !== undefined) holders[field] = holder;
    }
    const { slot, losers, givers, patch } = matchCustomer(holders, deed.patch, (id) => this.customers.get(id));
    const next = nextOf(slot, losers, patch, deed);
    const fields = Map.groupBy(givers, ({ holder }) => holder);
    const without = [...fields].map(([holder, given]) => ({
      slot: holder,
      next: given.reduce((contact, { field }) => withoutAddress(contact, field, deed.now), holder.current),
    }));
    return { slot, losers, givers: without, next };
  }

  private meant(deed: ContactDeed, holders: Slot[]): { slot: Slot; losers: Slot[] } {
    const slot = this.byId.get(deed.contactId!);
    if (slot === undefined) throw notFound(`contact ${deed.contactId}`);
    const other = holders.find((holder) => holder !== slot);
    if (other !== undefined) throw conflict(deed.patch, other);
    return { slot, losers: [] };
  }

  /** Whether the plan gives a contact a key that the database still has with another. */
  needsReleased(plan: Plan): boolean {
    return this.released.size > 0 && keysOf(plan.next).some((key) => this.released.has(key));
  }

  /** Whether what the set made of the contact is still in memory alone. */
  isUnwritten(slot: Slot): boolean {
    return this.dirty.has(slot);
  }

  /** Lets the plan's givers give up their addresses. */
  release(plan: Plan): void {
    for (const { slot, next } of plan.givers) this.change(slot, next);
  }

  /** Takes the plan into the set. Its losers must be gone from the database by now. */
  take(plan: Plan): Slot {
    for (const loser of plan.losers) {
      for (const key of keysOf(loser.current)) this.byKey.delete(key);
      this.byId.delete(loser.id!);
    }
    const slot: Slot = plan.slot ?? { id: null, stored: null, current: plan.next, lists: [] };
    if (plan.slot !== null && plan.next === slot.current) return slot;
    this.change(slot, plan.next);
    return slot;
  }

  private change(slot: Slot, next: Contact): void {
    const kept = new Set(keysOf(next));
    for (const key of keysOf(slot.current)) {
      if (kept.has(key)) continue;
      this.byKey.delete(key);
      this.released.add(key);
    }
    for (const key of kept) this.byKey.set(key, slot);
    slot.current = next;
    this.dirty.add(slot);
  }

  /** What is to be written; from here on it counts as written. */
  drain(): Slot[] {
    const slots = [...this.dirty];
    this.dirty.clear();
    this.released.clear();
    return slots;
  }

  inserted(slot: Slot, id: number): void {
    slot.id = id;
    this.byId.set(id, slot);
  }
}

function nextOf(slot: Slot | null, losers: Slot[], given: ContactPatch, deed: ContactDeed): Contact {
  const { origin, initial, now } = deed;
  const patch = slot === null ? { ...given, source: given.source ?? origin } : given;
  const start = losers.reduce(
    (winner, loser) => mergeContacts(winner, loser.current, patch),
    slot?.current ?? emptyContact(now, initial),
  );
  return applyPatch(start, patch, now);
}

/** A bounce was the address's: without it the contact has none. */
function withoutAddress(contact: Contact, field: 'email' | 'phone', now: Date): Contact {
  const bounced = field !== 'email' && contact.email_bounced;
  return withStatus({ ...contact, [field]: null, email_bounced: bounced, updated_at: now });
}

/** Of several contacts that the keys find, the first wins; the others must be nobody's record in the calling platform. */
function matched(holders: Slot[], patch: ContactPatch): { slot: Slot | null; losers: Slot[] } {
  const [slot = null, ...losers] = holders;
  const other = losers.find((loser) => loser.current.external_id !== null);
  if (other !== undefined) throw conflict(patch, other);
  return { slot, losers };
}

function conflict(patch: ContactPatch, other: Slot): AppError {
  const theirs = new Set(keysOf(other.current));
  const fields = KEY_FIELDS.filter((field) => keysOf({ [field]: patch[field] }).some((key) => theirs.has(key)));
  const message = `contact_conflict: ${fields.join(' and ')} already belongs to another contact`;
  return new AppError('contact_conflict', message, {
    fields: fields.map((field) => ({ field, code: 'contact_conflict', message })),
  });
}
