import { setImmediate } from 'node:timers/promises';
import type { Settled } from '../../../db/batching/batch.ts';
import { type BatchWork, later } from '../../../db/batching/idempotent-batch.ts';
import type { Tx } from '../../../db/pool.ts';
import { AppError, invalidField } from '../../../errors.ts';
import type { SuppressedChannels, Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { joinStatus, type Membership } from '../../lists/membership.ts';
import { findListSettings, joinLists, type ListSettings } from '../../lists/service.ts';
import { preferenceChange, statusChange, suppressedChange } from '../changes-in-timeline.ts';
import { consentChanges, consentsOf, leftAddresses, mayBeSuppressed, withSuppressed } from '../consent/changes.ts';
import { hasPreferencesOf } from '../consent/preferences.ts';
import { type ConsentRow, insertConsents } from '../consent/queries.ts';
import { type Contact, type ContactPatch, hasConsentsOf } from '../contact.ts';
import type { ShopCustomer } from '../customers/match.ts';
import { findRivals } from '../customers/rivals.ts';
import { mergeInto } from '../merge/merge.ts';
import * as queries from '../queries.ts';
import { type ContactDeed, keysOf, type Plan, type Slot, WorkingSet } from './working-set.ts';

/** A contact as a deed left it. `lists` are known only where the deeds were done with `withLists`. */
export interface DeedOutcome {
  contactId: number;
  contact: Contact;
  lists: Membership[];
  created: boolean;
  changed: boolean;
}

interface Join {
  slot: Slot;
  membership: Membership;
  at: Date;
}

export interface DeedOptions {
  /** Whether the outcomes tell the lists of the contacts. */
  withLists: boolean;
  /** Asked of contacts that come or get another address, and told of those who say no. Null where deeds do neither. */
  suppressions: Pick<Suppressions, 'find' | 'add'> | null;
  /** Those of the external ids that are the shop's customers. Needed for deeds about customers of the shop. */
  findCustomers?: (externalIds: string[]) => Promise<Map<string, ShopCustomer>>;
}

/** What a set of deeds works on while it runs. */
interface Run {
  tx: Tx;
  companyId: number;
  suppressions: DeedOptions['suppressions'];
  /** Whether any address is suppressed. */
  suppresses: boolean;
  set: WorkingSet;
  lists: Map<number, ListSettings>;
  /** Memberships that wait for the ids of their contacts. */
  joins: Join[];
  /** Addresses of which a deed said that they are dead, to be stored. */
  dead: { email: string; at: Date }[];
  /** Statements sent whose answers nothing depends on. */
  pending: Promise<unknown>[];
}

/**
 * Locks of keys that one transaction takes at most; a set with more locks all keys at once. The database's table of
 * locks is small (6,400 places by default), and all connections share it.
 */
const MAX_KEY_LOCKS = 200;

/**
 * Does deeds on contacts, in their order, and settles each: one that is refused (AppError) leaves nothing behind and
 * holds up no other. Keys are locked before rows, both in one order everywhere, so that sets do not block each other for
 * good, and nobody else can give a key to a contact meanwhile. A set costs a constant number of statements, but for
 * merges and for keys that pass from one contact to another within it. The caller has to wait for `pending`.
 */
export async function sendDeeds(
  tx: Tx,
  companyId: number,
  deeds: ContactDeed[],
  options: DeedOptions,
): Promise<BatchWork<DeedOutcome>> {
  const run = await open(tx, companyId, deeds, options);
  const settled: Settled<() => DeedOutcome>[] = [];
  for (const deed of deeds) {
    try {
      settled.push({ ok: true, value: await doDeed(run, deed) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      settled.push({ ok: false, error });
    }
  }
  await flush(run);
  const outcomes = settled.map(
    (outcome): Settled<DeedOutcome> => (outcome.ok ? { ok: true, value: outcome.value() } : outcome),
  );
  return { outcomes, pending: run.pending };
}

/** As `sendDeeds`, and waits until all is written. */
export async function doDeeds(
  tx: Tx,
  companyId: number,
  deeds: ContactDeed[],
  options: DeedOptions,
): Promise<Settled<DeedOutcome>[]> {
  const { outcomes, pending } = await sendDeeds(tx, companyId, deeds, options);
  await Promise.all(pending);
  return outcomes;
}

/** A deed that has to find its contact by keys has one at least. */
export function requireKey(patch: ContactPatch): void {
  if (keysOf(patch).length > 0) return;
  throw invalidField('email', 'At least one of email, external_id and phone is required', 'required');
}

/**
 * The contacts that have keys of the deeds as they are now, unlocked, with the fields that any deed gives. One that is erased
 * before the transaction ends takes along what the transaction hangs on it (see src/erasure/process.ts).
 */
export function findHolders(tx: Tx, companyId: number, deeds: ContactDeed[]): Promise<queries.KnownContact[]> {
  const fields = queries.KNOWN_FIELDS.filter((field) => deeds.some(({ patch }) => patch[field] !== undefined));
  return queries.findKnownContacts(tx, companyId, contactKeys(deeds), fields);
}

async function open(tx: Tx, companyId: number, deeds: ContactDeed[], options: DeedOptions): Promise<Run> {
  const { withLists, suppressions } = options;
  const keys = [...new Set(deeds.flatMap((deed) => keysOf(deed.patch)))].sort();
  const listIds = [...new Set(deeds.flatMap((deed) => deed.listIds ?? []))];
  // Sent in one go; the database runs one after the other, each seeing what was committed when its turn came.
  const wanted = contactKeys(deeds);
  const [, suppresses, rows, memberships, settings] = await Promise.all([
    lockKeys(tx, companyId, keys),
    queries.suppressesAny(tx, companyId),
    queries.lockContactsByKeys(tx, companyId, wanted),
    withLists ? queries.findMembershipsByKeys(tx, companyId, wanted) : [],
    listIds.length === 0 ? [] : findListSettings(tx, companyId, listIds),
  ]);
  const listsOf = Map.groupBy(memberships, (membership) => membership.contact_id);
  const set = new WorkingSet(await findRivals(deeds, rows, options.findCustomers));
  for (const { id, ...contact } of rows) {
    const lists = listsOf.get(id)?.map(({ list_id, status }) => ({ list_id, status })) ?? [];
    set.load(id, contact, lists);
  }
  const lists = new Map(settings.map((list) => [list.id, list]));
  return { tx, companyId, suppressions, suppresses, set, lists, joins: [], dead: [], pending: [] };
}

/** `keys` in their order of locking. */
async function lockKeys(tx: Tx, companyId: number, keys: string[]): Promise<void> {
  if (keys.length > MAX_KEY_LOCKS) await queries.lockAllKeys(tx, companyId);
  else if (keys.length > 0) await queries.lockKeys(tx, companyId, keys);
}

function contactKeys(deeds: ContactDeed[]): queries.ContactKeys {
  const given = <T>(read: (deed: ContactDeed) => T | null | undefined): T[] => {
    const values = new Set<T>();
    for (const deed of deeds) {
      const value = read(deed);
      if (value !== null && value !== undefined) values.add(value);
    }
    return [...values];
  };
  return {
    ids: given((deed) => deed.contactId),
    externalIds: given((deed) => deed.patch.external_id),
    emails: given((deed) => deed.patch.email),
    phones: given((deed) => deed.patch.phone),
  };
}

/** Gives the outcome as a function: the id of a new contact is known only when the set is written. */
async function doDeed(run: Run, deed: ContactDeed): Promise<() => DeedOutcome> {
  const { set } = run;
  let plan = set.plan(deed);
  requireLists(run, deed);
  set.release(plan);
  if (plan.losers.length > 0 || set.needsReleased(plan) || isToBeSettled(run, plan)) {
    await flush(run);
    // What suppresses an address may have changed who is there.
    plan = set.plan(deed);
  }
  if (plan.losers.length > 0) {
    await Promise.all(run.pending);
    await mergeInto(run.tx, run.companyId, plan, deed.now);
  }
  const created = plan.slot === null;
  const changed = created || plan.next !== plan.slot?.current;
  const slot = set.take(plan);
  if (deed.patch.consent !== undefined) slot.evidence = { ...slot.evidence, ...deed.patch.consent };
  if (deed.patch.status === 'bounced' && slot.current.email !== null)
    run.dead.push({ email: slot.current.email, at: deed.now });
  const joins = joinsOf(run, slot.lists, deed);
  if (joins.length > 0) {
    for (const membership of joins) run.joins.push({ slot, membership, at: deed.now });
    const joined = new Set(joins.map((membership) => membership.list_id));
    slot.lists = [...slot.lists.filter((membership) => !joined.has(membership.list_id)), ...joins].sort(
      (a, b) => a.list_id - b.list_id,
    );
  }
  const { current, lists } = slot;
  return () => {
    const contact = slot.suppressed === undefined ? current : { ...current, ...slot.suppressed };
    return { contactId: slot.id!, contact, lists, created, changed: changed || joins.length > 0 };
  };
}

/**
 * Whether the deed would cover what an earlier one of the set said: a no that is not yet stored for the address, or an address
 * of which nobody knows yet whether it is suppressed.
 */
function isToBeSettled({ set, suppresses, suppressions }: Run, { slot, next }: Plan): boolean {
  if (suppressions === null || slot === null || !set.isUnwritten(slot)) return false;
  const { stored, current } = slot;
  if (next.email === current.email && next.phone === current.phone && hasConsentsOf(next, current)) return false;
  return leftAddresses(stored, current).length > 0 || (suppresses && mayBeSuppressed(stored, current));
}

function requireLists(run: Run, deed: ContactDeed): void {
  const unknown = deed.listIds?.find((listId) => !run.lists.has(listId));
  if (unknown !== undefined) throw invalidField('list_ids', `list_ids: there is no list ${unknown}`, 'not_found');
}

/** The memberships that the deed changes. */
function joinsOf(run: Run, current: Membership[], deed: ContactDeed): Membership[] {
  const joins: Membership[] = [];
  for (const listId of new Set(deed.listIds)) {
    const was = current.find((membership) => membership.list_id === listId)?.status;
    const status = joinStatus(was, run.lists.get(listId)!.double_opt_in);
    if (status !== was) joins.push({ list_id: listId, status });
  }
  return joins;
}

/**
 * Writes what the deeds so far came to, and waits only for the ids of new contacts. Updates go before inserts, which may
 * take keys that updates set free.
 */
async function flush(run: Run): Promise<void> {
  const { tx, companyId } = run;
  const slots = run.set.drain();
  const known = slots.filter((slot) => slot.id !== null);
  const fresh = slots.filter((slot) => slot.id === null);
  const moved = known.filter((slot) => slot.stored!.status !== slot.current.status);
  if (known.length > 0) {
    const rows = known.map((slot) => ({ id: slot.id!, ...slot.current }));
    later(run.pending, queries.updateContacts(tx, companyId, rows));
  }
  if (moved.length > 0) later(run.pending, queries.insertActivity(tx, companyId, moved.map(statusChange)));
  const choices = known.filter(({ stored, current }) => !hasPreferencesOf(stored!, current));
  if (choices.length > 0) later(run.pending, queries.insertActivity(tx, companyId, choices.map(preferenceChange)));
  const asked = slots.filter(({ stored, current }) => mayBeSuppressed(stored, current));
  const changes = slots.flatMap((slot) => entriesOf(slot, consentChanges(slot.stored, slot.current, slot.evidence)));
  suppress(run, slots);
  for (const slot of known) slot.stored = slot.current;
  for (const slot of asked) delete slot.suppressed;
  const inserted = fresh.length > 0 ? insert(run, fresh) : null;
  const [found] = await Promise.all([findSuppressed(run, asked), inserted]);
  changes.push(...overrule(run, found));
  if (changes.length > 0) {
    const rows = changes.map(({ slot, row }) => ({ ...row, contactId: slot.id! }));
    later(run.pending, insertConsents(tx, companyId, rows));
  }
  if (run.joins.length === 0) return;
  const joins = run.joins.map(({ slot, membership, at }) => ({
    listId: membership.list_id,
    contactId: slot.id!,
    status: membership.status,
    consent: { at, source: 'api', ip: null },
    now: at,
  }));
  run.joins = [];
  later(run.pending, joinLists(tx, companyId, joins));
}

/** Stores for the addresses which of the contacts said no, and which of the addresses are dead. */
function suppress(run: Run, slots: Slot[]): void {
  const { tx, companyId, suppressions, dead, pending } = run;
  if (suppressions === null) return;
  const left = slots.flatMap(({ stored, current }) => leftAddresses(stored, current));
  const bounced = dead.map(({ email: address }) => {
    return { channel: 'email' as const, address, cause: 'bounce' as const, source: null };
  });
  const at = slots[0]?.current.updated_at ?? dead[0]?.at;
  run.dead = [];
  if (at === undefined || left.length + bounced.length === 0) return;
  run.suppresses = true;
  later(pending, suppressions.add(tx, companyId, [...left, ...bounced], at));
}

/** Those of the contacts of whose addresses one is suppressed. */
async function findSuppressed(
  { tx, companyId, suppressions, suppresses }: Run,
  slots: Slot[],
): Promise<[Slot, SuppressedChannels][]> {
  // To hash an address takes 4 µs, which a company that suppresses none need not spend on a large import.
  if (suppressions === null || !suppresses || slots.length === 0) return [];
  const contacts = slots.map((slot) => slot.current);
  // What was sent before is on its way by then: 500 addresses are hashed (2 ms) while the database works.
  await setImmediate();
  const found = await suppressions.find(tx, companyId, contacts);
  return slots.map((slot, i) => [slot, found[i]!]);
}

/** What was said of an address outweighs what is said of the contact that has it now. Gives the entries of the history. */
function overrule({ tx, companyId, pending }: Run, found: [Slot, SuppressedChannels][]): ConsentOfSlot[] {
  const overruled = found.flatMap(([slot, suppressed]) => {
    const before = slot.current;
    const after = withSuppressed(before, suppressed);
    if (after === before) return [];
    slot.current = after;
    slot.stored = after;
    slot.suppressed = consentsOf(after);
    return [{ slot, before, after }];
  });
  if (overruled.length === 0) return [];
  const rows = overruled.map(({ slot, after }) => ({ id: slot.id!, ...after }));
  later(pending, queries.updateContacts(tx, companyId, rows));
  const moved = overruled.filter(({ before, after }) => before.status !== after.status);
  if (moved.length > 0) later(pending, queries.insertActivity(tx, companyId, moved.map(suppressedChange)));
  return overruled.flatMap(({ slot, before, after }) => entriesOf(slot, consentChanges(before, after)));
}

/** An entry of the history, of a contact whose id may not be known yet. */
interface ConsentOfSlot {
  slot: Slot;
  row: Omit<ConsentRow, 'contactId'>;
}

function entriesOf(slot: Slot, rows: Omit<ConsentRow, 'contactId'>[]): ConsentOfSlot[] {
  return rows.map((row) => ({ slot, row }));
}

async function insert(run: Run, slots: Slot[]): Promise<void> {
  const contacts = slots.map((slot) => slot.current);
  // With the statements before it: where one of them failed, its own error is the one to throw.
  const [inserted] = await Promise.all([queries.insertContacts(run.tx, run.companyId, contacts), ...run.pending]);
  const ids = new Map(inserted.map((row) => [keysOf(row)[0], row.id]));
  for (const slot of slots) {
    run.set.inserted(slot, ids.get(keysOf(slot.current)[0])!);
    slot.stored = slot.current;
  }
}
