import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, type Channel, type ConsentState, type Evidence } from '../../../recipients/consent.ts';
import { joinLists, loadMemberships } from '../../lists/service.ts';
import { withSuppressed } from '../consent/effects.ts';
import { type Contact, keysOf } from '../contact.ts';
import { requireKey, settleEach } from '../upsert/input.ts';
import { type ContactUpsert, conflict, type Slot, WorkingSet } from '../upsert/plan.ts';
import { contactKeys, findContactsByKeys, hasSuppressions } from '../upsert/queries.ts';
import { bulkUpsert } from '../upsert/upsert.ts';

/** A contact from a file, with texts normalised by `normalisePatch`. An absent field is not in the file. */
export interface ImportedContact {
  email?: string;
  phone?: string;
  external_id?: string;
  first_name?: string;
  last_name?: string;
  source?: string;
  tags?: string[];
  properties?: Record<string, unknown>;
  bounced?: boolean;
  /** The consents of this person according to the file, with their evidence. */
  consent?: Partial<Record<Channel, { state: ConsentState } & Evidence>>;
}

export interface ImportedContacts {
  contacts: ImportedContact[];
  /** The consents of new contacts that have none in the file. */
  initial: Record<Channel, ConsentState>;
  /** The list to which they are added, active at once: nobody has to confirm. */
  listId: number | null;
  onlyNew: boolean;
  /** The source of new contacts. */
  origin: string;
  now: Date;
}

/** A contact before the import changed it, for an undo. */
export interface ContactBefore {
  /** null: the contact only joined the list. */
  contact: Contact | null;
  joined: number | null;
}

export interface ImportedOutcome {
  contactId: number;
  outcome: 'created' | 'updated' | 'unchanged';
  suppressed: boolean;
  before: ContactBefore | null;
}

function upsertOf(contact: ImportedContact, { initial, origin, now }: ImportedContacts): ContactUpsert {
  const { bounced, consent, ...fields } = contact;
  const patch: ContactUpsert['patch'] = { ...fields, consent_source: 'import' };
  if (consent !== undefined) patch.consent = consent;
  if (bounced) patch.status = 'bounced';
  requireKey(patch);
  for (const channel of CHANNELS) {
    // A file of unsubscribed people also applies to existing contacts.
    if (initial[channel] !== 'unsubscribed' || consent?.[channel] !== undefined) continue;
    patch.consent = { ...patch.consent, [channel]: { state: 'unsubscribed' } };
  }
  const own = (channel: Channel): ConsentState => patch.consent?.[channel]?.state ?? initial[channel];
  const start = { email: own('email'), sms: own('sms'), source: 'import' } as const;
  return { patch, origin, initial: start, now };
}

/** Converts the contacts to upserts; `run` settles them together. */
function settle<Out>(
  given: ImportedContacts,
  run: (upserts: ContactUpsert[]) => Promise<Settled<Out>[]>,
): Promise<Settled<Out>[]> {
  return settleEach(given.contacts, (contact) => upsertOf(contact, given), run);
}

/**
 * People who live together share a phone number, but only one contact can have it. The e-mail address decides whom a row is about:
 * its phone number is dropped if it belongs to another contact.
 */
async function leaveOutForeignPhones(tx: Tx, companyId: number, upserts: ContactUpsert[]): Promise<void> {
  const both = upserts.filter(({ patch }) => typeof patch.email === 'string' && typeof patch.phone === 'string');
  if (both.length === 0) return;
  const stored = await findContactsByKeys(tx, companyId, contactKeys(both));
  const emails = new Set(stored.map(({ email }) => email));
  const holders = new Map(stored.flatMap(({ phone, email }) => (phone === null ? [] : [[phone, email] as const])));
  for (const { patch } of both) {
    const holder = holders.get(patch.phone!);
    // A contact with nothing but the number becomes this one.
    const isTaken = holder === null ? emails.has(patch.email!) : holder !== undefined && holder !== patch.email;
    if (isTaken) delete patch.phone;
    else holders.set(patch.phone!, patch.email!);
  }
}

/** Returns what `writeImported` would do. Locks and writes nothing. */
export async function checkImported(
  tx: Tx,
  companyId: number,
  given: ImportedContacts,
  suppressions: Suppressions,
): Promise<Settled<Omit<ImportedOutcome, 'contactId' | 'before'>>[]> {
  return settle(given, async (upserts) => {
    await leaveOutForeignPhones(tx, companyId, upserts);
    const [rows, suppresses] = await Promise.all([
      findContactsByKeys(tx, companyId, contactKeys(upserts)),
      hasSuppressions(tx, companyId),
    ]);
    const set = new WorkingSet(new Map());
    for (const { id, ...contact } of rows) set.load(id, contact, []);
    const isOn = await membersAmong(tx, companyId, given.listId, rows);
    const looked = new Set<Slot>();
    const settled = upserts.map((upsert): Settled<{ outcome: ImportedOutcome['outcome']; next: Contact | null }> => {
      try {
        const plan = set.plan(upsert);
        if (plan.losers.length > 0) throw conflict(upsert.patch, plan.losers[0]!);
        const { slot, next } = plan;
        const kept = slot !== null && (given.onlyNew || next === slot.current);
        // As in `join`: the first row of a contact adds it to the list.
        const joins = slot !== null && slot.id !== null && !looked.has(slot) && !isOn(slot.id);
        if (slot !== null) looked.add(slot);
        if (kept) return { ok: true, value: { outcome: joins ? 'updated' : 'unchanged', next: null } };
        set.take(plan);
        return { ok: true, value: { outcome: slot === null ? 'created' : 'updated', next } };
      } catch (error) {
        return { ok: false, error };
      }
    });
    const fresh = settled.flatMap((one) => (one.ok && one.value.next !== null ? [one.value.next] : []));
    const found = suppresses && fresh.length > 0 ? await suppressions.find(tx, companyId, fresh) : [];
    const kept = new Set(fresh.filter((contact, i) => found[i] && withSuppressed(contact, found[i]) !== contact));
    return settled.map((one) =>
      one.ok ? { ok: true, value: { outcome: one.value.outcome, suppressed: kept.has(one.value.next!) } } : one,
    );
  });
}

/** Writes the contacts, each settled on its own. A row that would merge two contacts is rejected. */
export async function writeImported(
  tx: Tx,
  companyId: number,
  given: ImportedContacts,
  suppressions: Suppressions,
): Promise<Settled<ImportedOutcome>[]> {
  const settled = await settle(given, async (upserts) => {
    await leaveOutForeignPhones(tx, companyId, upserts);
    const known = given.onlyNew ? await knownAmong(tx, companyId, upserts) : new Map<ContactUpsert, number>();
    const open = upserts.filter((upsert) => !known.has(upsert));
    const outcomes = await bulkUpsert(tx, companyId, open, { withLists: false, suppressions, refusesMerges: true });
    const outcomeOf = new Map(open.map((upsert, i) => [upsert, outcomes[i]!]));
    return upserts.map((upsert): Settled<ImportedOutcome> => {
      const outcome = outcomeOf.get(upsert);
      if (outcome === undefined) {
        const contactId = known.get(upsert)!;
        return { ok: true, value: { contactId, outcome: 'unchanged', suppressed: false, before: null } };
      }
      if (!outcome.ok) return outcome;
      const { contactId, created, changed, before, suppressed } = outcome.value;
      const value: ImportedOutcome = {
        contactId,
        outcome: created ? 'created' : changed ? 'updated' : 'unchanged',
        suppressed,
        before: created || !changed ? null : { contact: before, joined: null },
      };
      return { ok: true, value };
    });
  });
  if (given.listId !== null) await join(tx, companyId, settled, given.listId, given.now);
  return settled;
}

/** Returns a predicate whether a contact is or was on the list; always true without a list. */
async function membersAmong(
  tx: Tx,
  companyId: number,
  listId: number | null,
  contacts: { id: number }[],
): Promise<(contactId: number) => boolean> {
  if (listId === null) return () => true;
  const ids = contacts.map(({ id }) => id);
  const present = ids.length === 0 ? null : await loadMemberships(tx, companyId, ids);
  return (id) => present?.get(id)?.some(({ list_id }) => list_id === listId) ?? false;
}

async function knownAmong(tx: Tx, companyId: number, upserts: ContactUpsert[]): Promise<Map<ContactUpsert, number>> {
  const holders = new Map<string, number>();
  for (const { id, ...contact } of await findContactsByKeys(tx, companyId, contactKeys(upserts))) {
    for (const key of keysOf(contact)) holders.set(key, id);
  }
  return new Map(
    upserts.flatMap((upsert) => {
      const id = keysOf(upsert.patch)
        .map((key) => holders.get(key))
        .find((one) => one !== undefined);
      return id === undefined ? [] : [[upsert, id] as const];
    }),
  );
}

/** Contacts that left the list stay off it; if several rows are about one contact, the first adds it. */
async function join(
  tx: Tx,
  companyId: number,
  settled: Settled<ImportedOutcome>[],
  listId: number,
  now: Date,
): Promise<void> {
  const outcomes = settled.flatMap((one) => (one.ok ? [one.value] : []));
  const known = outcomes.filter(({ outcome }) => outcome !== 'created').map(({ contactId }) => ({ id: contactId }));
  const isOn = await membersAmong(tx, companyId, listId, known);
  const joins = [...Map.groupBy(outcomes, ({ contactId }) => contactId).values()]
    .map(([first]) => first!)
    .filter(({ contactId }) => !isOn(contactId));
  const consent = { at: now, source: 'import', ip: null };
  await joinLists(
    tx,
    companyId,
    joins.map(({ contactId }) => ({ listId, contactId, status: 'active', consent, now })),
  );
  for (const one of joins) {
    if (one.outcome === 'created') continue;
    one.before = { contact: one.before?.contact ?? null, joined: listId };
    one.outcome = 'updated';
  }
}
