import { AppError, notFound } from '../../../errors.ts';
import type { Channel, ConsentFields, Evidence, InitialConsent } from '../../../recipients/consent.ts';
import type { Membership } from '../../lists/membership.ts';
import { type Contact, emptyContact, KEY_FIELDS, type KeyField, keysOf, withStatus } from '../contact.ts';
import { matchCustomer, type ShopCustomer } from '../customers/match.ts';
import { MAX_TAGS } from '../limits.ts';
import { mergeContacts, mergedByHand } from '../merge/merged-contact.ts';
import { applyPatch, type ContactPatch } from '../patch.ts';
import type { ContactStatus } from '../status.ts';

/** A change of one contact, which is created if there is none. */
export interface ContactUpsert {
  /** The contact to update. Absent: the contact with the patch's keys, or a new one. */
  contactId?: number;
  patch: ContactPatch;
  /** The source of a new contact if the patch has none. */
  origin?: string;
  /** Lists to which the contact is added. */
  listIds?: number[];
  /** The consents of a new contact. */
  initial: InitialConsent;
  /** The upsert is about a customer of the shop: customers/match.ts finds the contact. */
  isOfShop?: true;
  /** External ids of customers of the shop whose contacts are merged into this one. */
  absorbs?: string[];
  /** Contacts that a person merges into `contactId`, whatever their keys. */
  merges?: number[];
  now: Date;
}

/** A contact in a bulk upsert: as stored, and as changed by the upserts so far. */
export interface Slot {
  /** Null until it is inserted. */
  id: number | null;
  stored: Contact | null;
  current: Contact;
  lists: Membership[];
  /** Text, IP and user agent that came with consents. */
  evidence?: Partial<Record<Channel, Evidence>>;
  /** The consents after a suppression of an address was applied. */
  suppressed?: ConsentFields & { status: ContactStatus };
}

/** What an upsert will do. */
export interface Plan {
  slot: Slot | null;
  /** Contacts that are merged into `slot`. */
  losers: Slot[];
  /** Contacts that must give up an address, and their state without it. */
  givers: { slot: Slot; next: Contact }[];
  next: Contact;
}

/** Adds as many of the shop's tags as the contact may have. A customer is never refused for them. */
function withFittingTags(patch: ContactPatch, slots: (Slot | null)[]): ContactPatch {
  if (patch.tags === undefined) return patch;
  const own = slots.flatMap((slot) => slot?.current.tags ?? []);
  return { ...patch, tags: [...new Set([...own, ...patch.tags])].slice(0, MAX_TAGS) };
}

/** The contact after the upsert: losers merged, patch applied. */
function nextOf(slot: Slot | null, losers: Slot[], given: ContactPatch, upsert: ContactUpsert): Contact {
  const { origin, initial, now } = upsert;
  const patch = slot === null ? { ...given, source: given.source ?? origin } : given;
  const start = losers.reduce(
    (winner, loser) => mergeContacts(winner, loser.current, patch),
    slot?.current ?? emptyContact(now, initial),
  );
  return applyPatch(start, patch, now);
}

/** A contact without an e-mail address has no bounce either. */
function withoutAddress(contact: Contact, field: 'email' | 'phone', now: Date): Contact {
  const bounced = field !== 'email' && contact.email_bounced;
  return withStatus({ ...contact, [field]: null, email_bounced: bounced, updated_at: now });
}

/** If several contacts have the keys, the first wins; the others must have no external_id. Throws contact_conflict. */
function matched(holders: Slot[], patch: ContactPatch): { slot: Slot | null; losers: Slot[] } {
  const [slot = null, ...losers] = holders;
  const other = losers.find((loser) => loser.current.external_id !== null);
  if (other !== undefined) throw conflict(patch, other);
  return { slot, losers };
}

export function conflict(patch: ContactPatch, other: Slot): AppError {
  const theirs = new Set(keysOf(other.current));
  const fields = KEY_FIELDS.filter((field) => keysOf({ [field]: patch[field] }).some((key) => theirs.has(key)));
  const message = `contact_conflict: ${fields.join(' and ')} already belongs to another contact`;
  return new AppError('contact_conflict', message, {
    fields: fields.map((field) => ({ field, code: 'contact_conflict', message })),
  });
}

/**
 * The contacts of a bulk upsert, in memory. Each upsert is planned against the effects of those before it, so that the result
 * is the same as if they had been applied one after the other.
 */
export class WorkingSet {
  private readonly byKey = new Map<string, Slot>();
  private readonly byId = new Map<number, Slot>();
  private readonly dirty = new Set<Slot>();
  /** Keys that contacts gave up but still have in the database. */
  private readonly released = new Set<string>();
  /** Customers of the shop, by external_id, whose contacts compete for a key (see `findCompetingCustomers`). */
  private readonly customers: Map<string, ShopCustomer>;

  constructor(customers: Map<string, ShopCustomer>) {
    this.customers = customers;
  }

  load(id: number, contact: Contact, lists: Membership[]): void {
    const slot: Slot = { id, stored: contact, current: contact, lists };
    this.byId.set(id, slot);
    for (const key of keysOf(contact)) this.byKey.set(key, slot);
  }

  /** Contacts with keys of the patch, in the order of the keys. */
  holders(patch: ContactPatch): Slot[] {
    const slots = new Set(keysOf(patch).map((key) => this.byKey.get(key)));
    return [...slots].filter((slot) => slot !== undefined);
  }

  /** Throws AppError if the upsert is rejected. */
  plan(upsert: ContactUpsert): Plan {
    if (upsert.isOfShop) return this.planCustomer(upsert);
    if (upsert.merges !== undefined) return this.planMerge(upsert, upsert.merges);
    const holders = this.holders(upsert.patch);
    const { slot, losers } =
      upsert.contactId === undefined ? matched(holders, upsert.patch) : this.slotById(upsert, holders);
    return { slot, losers, givers: [], next: nextOf(slot, losers, upsert.patch, upsert) };
  }

  private planCustomer(upsert: ContactUpsert): Plan {
    const holders: Partial<Record<KeyField, Slot>> = {};
    for (const field of KEY_FIELDS) {
      const [key] = keysOf({ [field]: upsert.patch[field] });
      const holder = key === undefined ? undefined : this.byKey.get(key);
      if (holder !== undefined) holders[field] = holder;
    }
    const absorbed = (upsert.absorbs ?? []).flatMap((id) => this.byKey.get(keysOf({ external_id: id })[0]!) ?? []);
    // If the customer is not a contact yet, the first contact merged into theirs becomes their contact.
    holders.external_id ??= absorbed[0];
    const match = matchCustomer(holders, upsert.patch, (id) => this.customers.get(id));
    const { slot, patch } = match;
    const losers = [...new Set([...match.losers, ...absorbed])].filter((loser) => loser !== slot);
    const givers = match.givers.filter(({ holder }) => !losers.includes(holder));
    const next = nextOf(slot, losers, withFittingTags(patch, [slot, ...losers]), upsert);
    const fields = Map.groupBy(givers, ({ holder }) => holder);
    const without = [...fields].map(([holder, given]) => ({
      slot: holder,
      next: given.reduce((contact, { field }) => withoutAddress(contact, field, upsert.now), holder.current),
    }));
    return { slot, losers, givers: without, next };
  }

  /** Throws not_found, contact_conflict. */
  private planMerge(upsert: ContactUpsert, merges: number[]): Plan {
    const { slot } = this.slotById(upsert, []);
    const losers = merges.map((id) => this.byId.get(id));
    const found = losers.filter((loser) => loser !== undefined);
    const missing = merges.find((_, i) => losers[i] === undefined);
    if (missing !== undefined) throw notFound(`contact ${missing}`);
    const next = found.reduce((winner, loser) => mergedByHand(winner, loser.current, upsert.now), slot.current);
    return { slot, losers: found, givers: [], next };
  }

  private slotById(upsert: ContactUpsert, holders: Slot[]): { slot: Slot; losers: Slot[] } {
    const slot = this.byId.get(upsert.contactId!);
    if (slot === undefined) throw notFound(`contact ${upsert.contactId}`);
    const other = holders.find((holder) => holder !== slot);
    if (other !== undefined) throw conflict(upsert.patch, other);
    return { slot, losers: [] };
  }

  /** Whether the plan assigns a key to a contact while another contact still has it in the database. */
  needsReleased(plan: Plan): boolean {
    return this.released.size > 0 && keysOf(plan.next).some((key) => this.released.has(key));
  }

  /** Whether the contact has changes that are not written yet. */
  isUnwritten(slot: Slot): boolean {
    return this.dirty.has(slot);
  }

  /** Takes the addresses from the plan's givers. */
  release(plan: Plan): void {
    for (const { slot, next } of plan.givers) this.change(slot, next);
  }

  /** Applies the plan. Its losers must have been deleted from the database. */
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

  /** Returns the changed contacts, and considers them written from now on. */
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
