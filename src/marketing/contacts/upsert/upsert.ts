import { setImmediate } from 'node:timers/promises';
import type { Settled } from '../../../db/batching/batcher.ts';
import { type BatchWork, later } from '../../../db/batching/idempotent-batch.ts';
import type { Tx } from '../../../db/pool.ts';
import { AppError, invalidField } from '../../../errors.ts';
import type { SuppressedChannels, Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import type { ConsentSource } from '../../../recipients/consent.ts';
import { hasPreferencesOf, preferencesRecord } from '../../../recipients/preferences.ts';
import { joinStatus, type Membership } from '../../lists/membership.ts';
import { findListSettings, joinLists, type ListSettings } from '../../lists/service.ts';
import {
  consentChanges,
  consentsOf,
  mayBeSuppressed,
  unsubscribedAddresses,
  withSuppressed,
} from '../consent/effects.ts';
import { type ConsentRow, insertConsents } from '../consent/history-queries.ts';
import { type Contact, hasConsentsOf, keysOf } from '../contact.ts';
import type { ShopCustomer } from '../customers/match.ts';
import { mergeInto } from '../merge/merge.ts';
import * as queries from '../queries.ts';
import { type ActivityRow, insertActivity } from '../timeline/queries.ts';
import { type ContactUpsert, conflict, type Plan, type Slot, WorkingSet } from './plan.ts';
import { contactKeys, findMembershipsByKeys, hasSuppressions, lockContactsByKeys, lockKeysInOrder } from './queries.ts';

/** A contact after its upsert. `lists` is empty unless `withLists` was set. */
export interface UpsertOutcome {
  contactId: number;
  contact: Contact;
  lists: Membership[];
  created: boolean;
  changed: boolean;
  /** The contact before the upsert; null if it is new. */
  before: Contact | null;
  /** One of its addresses is suppressed, which took precedence over the given consents. */
  suppressed: boolean;
}

interface Join {
  slot: Slot;
  membership: Membership;
  at: Date;
  /** Where the consent to the membership came from. */
  source: ConsentSource;
}

export interface BulkUpsertOptions {
  /** Whether outcomes contain the lists of the contacts. */
  withLists: boolean;
  /** Checked for new addresses, and extended by unsubscriptions and bounces. Null: neither. */
  suppressions: Pick<Suppressions, 'find' | 'add'> | null;
  /** Returns those external ids that are customers of the shop. Required for upserts with `isOfShop`. */
  findCustomers?: (externalIds: string[]) => Promise<Map<string, ShopCustomer>>;
  /** Rejects an upsert whose keys belong to two contacts, instead of merging them. */
  refusesMerges?: true;
}

/** The state of a bulk upsert while it runs. */
interface Run {
  tx: Tx;
  companyId: number;
  suppressions: BulkUpsertOptions['suppressions'];
  refusesMerges: boolean;
  /** Whether the company has any suppression. */
  hasSuppressions: boolean;
  set: WorkingSet;
  lists: Map<number, ListSettings>;
  /** Memberships to write once their contacts have ids. */
  joins: Join[];
  /** Addresses with `status: bounced`, which will be suppressed. */
  bounced: { email: string; at: Date }[];
  /** Sent statements on whose results nothing depends. */
  pending: Promise<unknown>[];
}

/**
 * Applies upserts to contacts in the given order and settles each on its own: a rejected one (AppError) changes nothing and does
 * not affect the others. Keys are locked before rows, and both in the same order everywhere: bulk upserts do not deadlock, and no
 * other transaction can assign a locked key to a contact. The number of statements is constant, except for merges and for keys that
 * move between contacts of the set. The caller must wait for `pending`.
 */
export async function sendBulkUpsert(
  tx: Tx,
  companyId: number,
  upserts: ContactUpsert[],
  options: BulkUpsertOptions,
): Promise<BatchWork<UpsertOutcome>> {
  const run = await startRun(tx, companyId, upserts, options);
  const settled: Settled<() => UpsertOutcome>[] = [];
  for (const upsert of upserts) {
    try {
      settled.push({ ok: true, value: await applyUpsert(run, upsert) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      settled.push({ ok: false, error });
    }
  }
  await flush(run);
  const outcomes = settled.map(
    (outcome): Settled<UpsertOutcome> => (outcome.ok ? { ok: true, value: outcome.value() } : outcome),
  );
  return { outcomes, pending: run.pending };
}

/** The same, and waits until everything is written. */
export async function bulkUpsert(
  tx: Tx,
  companyId: number,
  upserts: ContactUpsert[],
  options: BulkUpsertOptions,
): Promise<Settled<UpsertOutcome>[]> {
  const { outcomes, pending } = await sendBulkUpsert(tx, companyId, upserts, options);
  await Promise.all(pending);
  return outcomes;
}

/** The keys of the patch, and of the customers' contacts that are merged into its contact. */
function keysOfUpsert({ patch, absorbs = [] }: ContactUpsert): string[] {
  return [...keysOf(patch), ...absorbs.flatMap((id) => keysOf({ external_id: id }))];
}

async function startRun(tx: Tx, companyId: number, upserts: ContactUpsert[], options: BulkUpsertOptions): Promise<Run> {
  const { withLists, suppressions, refusesMerges = false } = options;
  const keys = [...new Set(upserts.flatMap(keysOfUpsert))].sort();
  const listIds = [...new Set(upserts.flatMap((upsert) => upsert.listIds ?? []))];
  // Sent together. The database runs them one after the other; each sees what was committed before it starts.
  const wanted = contactKeys(upserts);
  const [, isSuppressing, rows, memberships, settings] = await Promise.all([
    lockKeysInOrder(tx, companyId, keys),
    hasSuppressions(tx, companyId),
    lockContactsByKeys(tx, companyId, wanted),
    withLists ? findMembershipsByKeys(tx, companyId, wanted) : [],
    listIds.length === 0 ? [] : findListSettings(tx, companyId, listIds),
  ]);
  const listsOf = Map.groupBy(memberships, (membership) => membership.contact_id);
  const set = new WorkingSet(await findCompetingCustomers(upserts, rows, options.findCustomers));
  for (const { id, ...contact } of rows) {
    const lists = listsOf.get(id)?.map(({ list_id, status }) => ({ list_id, status })) ?? [];
    set.load(id, contact, lists);
  }
  const lists = new Map(settings.map((list) => [list.id, list]));
  return {
    tx,
    companyId,
    suppressions,
    refusesMerges,
    hasSuppressions: isSuppressing,
    set,
    lists,
    joins: [],
    bounced: [],
    pending: [],
  };
}

/**
 * Customers of the shop, by external_id, that may compete for an address: those that the upserts are about, and those whose contact
 * has an address that an upsert assigns to another customer.
 */
async function findCompetingCustomers(
  upserts: ContactUpsert[],
  rows: Pick<Contact, 'external_id' | 'email' | 'phone'>[],
  findCustomers: ((externalIds: string[]) => Promise<Map<string, ShopCustomer>>) | undefined,
): Promise<Map<string, ShopCustomer>> {
  const competitors = new Map<string, ShopCustomer>();
  const wanted = new Map<string, string>();
  for (const { patch, isOfShop } of upserts) {
    if (!isOfShop) continue;
    const { external_id: id, email, phone } = patch;
    competitors.set(id!, phone === undefined ? {} : { phone });
    for (const key of keysOf({ email, phone })) wanted.set(key, id!);
  }
  if (findCustomers === undefined || wanted.size === 0) return competitors;
  const holders = rows.flatMap(({ external_id: id, email, phone }) => {
    const competes = keysOf({ email, phone }).some((key) => wanted.has(key) && wanted.get(key) !== id);
    return competes && id !== null ? [id] : [];
  });
  if (holders.length === 0) return competitors;
  return new Map([...competitors, ...(await findCustomers(holders))]);
}

/** Returns the outcome as a function, since the id of a new contact is known only after `flush`. */
async function applyUpsert(run: Run, upsert: ContactUpsert): Promise<() => UpsertOutcome> {
  const { set } = run;
  let plan = set.plan(upsert);
  if (run.refusesMerges && plan.losers.length > 0) throw conflict(upsert.patch, plan.losers[0]!);
  requireListsExist(run, upsert);
  set.release(plan);
  if (plan.losers.length > 0 || set.needsReleased(plan) || mustFlushFirst(run, plan)) {
    await flush(run);
    // The contacts may have changed: `flush` may have applied suppressions to them.
    plan = set.plan(upsert);
  }
  if (plan.losers.length > 0) {
    await Promise.all(run.pending);
    await mergeInto(run.tx, run.companyId, plan, upsert.now);
  }
  const created = plan.slot === null;
  const before = plan.slot?.current ?? null;
  const changed = created || plan.next !== plan.slot?.current;
  const slot = set.take(plan);
  if (upsert.patch.consent !== undefined) slot.evidence = { ...slot.evidence, ...upsert.patch.consent };
  if (upsert.patch.status === 'bounced' && slot.current.email !== null)
    run.bounced.push({ email: slot.current.email, at: upsert.now });
  const joins = joinsOf(run, slot.lists, upsert);
  if (joins.length > 0) {
    for (const membership of joins)
      run.joins.push({ slot, membership, at: upsert.now, source: upsert.patch.consent_source ?? 'api' });
    const joined = new Set(joins.map((membership) => membership.list_id));
    slot.lists = [...slot.lists.filter((membership) => !joined.has(membership.list_id)), ...joins].sort(
      (a, b) => a.list_id - b.list_id,
    );
  }
  const { current, lists } = slot;
  return () => {
    const contact = slot.suppressed === undefined ? current : { ...current, ...slot.suppressed };
    const suppressed = slot.suppressed !== undefined;
    return { contactId: slot.id!, contact, lists, created, changed: changed || joins.length > 0, before, suppressed };
  };
}

/**
 * Whether the upsert would overwrite an effect of an earlier one that is not written yet: an unsubscription that is not stored for its
 * address, or a new address that has not been checked for suppression.
 */
function mustFlushFirst({ set, hasSuppressions, suppressions }: Run, { slot, next }: Plan): boolean {
  if (suppressions === null || slot === null || !set.isUnwritten(slot)) return false;
  const { stored, current } = slot;
  if (next.email === current.email && next.phone === current.phone && hasConsentsOf(next, current)) return false;
  return unsubscribedAddresses(stored, current).length > 0 || (hasSuppressions && mayBeSuppressed(stored, current));
}

function requireListsExist(run: Run, upsert: ContactUpsert): void {
  const unknown = upsert.listIds?.find((listId) => !run.lists.has(listId));
  if (unknown !== undefined) throw invalidField('list_ids', `list_ids: there is no list ${unknown}`, 'not_found');
}

/** The memberships that the upsert changes. */
function joinsOf(run: Run, current: Membership[], upsert: ContactUpsert): Membership[] {
  const joins: Membership[] = [];
  for (const listId of new Set(upsert.listIds)) {
    const was = current.find((membership) => membership.list_id === listId)?.status;
    const status = joinStatus(was, run.lists.get(listId)!.double_opt_in);
    if (status !== was) joins.push({ list_id: listId, status });
  }
  return joins;
}

/** New contacts per statement. */
const SLICE = 500;

/**
 * Writes the effects of the upserts so far, and waits only for the ids of new contacts. Updates are sent before inserts, which may
 * need keys that the updates release.
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
  if (moved.length > 0) later(run.pending, insertActivity(tx, companyId, moved.map(statusChange)));
  const changedPreferences = known.filter(({ stored, current }) => !hasPreferencesOf(stored!, current));
  if (changedPreferences.length > 0) {
    later(run.pending, insertActivity(tx, companyId, changedPreferences.map(preferenceChange)));
  }
  const unchecked = slots.filter(({ stored, current }) => mayBeSuppressed(stored, current));
  const changes = slots.flatMap((slot) => entriesOf(slot, consentChanges(slot.stored, slot.current, slot.evidence)));
  suppressAddresses(run, slots);
  for (const slot of known) slot.stored = slot.current;
  for (const slot of unchecked) delete slot.suppressed;
  const inserted = fresh.length > 0 ? insert(run, fresh) : null;
  const [found] = await Promise.all([findSuppressed(run, unchecked), inserted]);
  changes.push(...applySuppressions(run, found));
  if (changes.length > 0) {
    const rows = changes.map(({ slot, row }) => ({ ...row, contactId: slot.id! }));
    later(run.pending, insertConsents(tx, companyId, rows));
  }
  if (run.joins.length === 0) return;
  const joins = run.joins.map(({ slot, membership, at, source }) => ({
    listId: membership.list_id,
    contactId: slot.id!,
    status: membership.status,
    consent: { at, source, ip: null },
    now: at,
  }));
  run.joins = [];
  later(run.pending, joinLists(tx, companyId, joins));
}

async function insert(run: Run, slots: Slot[]): Promise<void> {
  const contacts = slots.map((slot) => slot.current);
  // Awaited together with the earlier statements, so that the first error is the one that is thrown.
  const sent: ReturnType<typeof queries.insertContacts>[] = [];
  for (let at = 0; at < contacts.length; at += SLICE) {
    // The database writes one slice while the next is serialised.
    if (at > 0) await setImmediate();
    later(sent, queries.insertContacts(run.tx, run.companyId, contacts.slice(at, at + SLICE)));
  }
  const [inserted] = await Promise.all([Promise.all(sent), ...run.pending]);
  const ids = new Map(inserted.flat().map((row) => [keysOf(row)[0], row.id]));
  for (const slot of slots) {
    run.set.inserted(slot, ids.get(keysOf(slot.current)[0])!);
    slot.stored = slot.current;
  }
}

/** Suppresses the addresses of contacts that unsubscribed, and addresses that bounced. */
function suppressAddresses(run: Run, slots: Slot[]): void {
  const { tx, companyId, suppressions, pending } = run;
  if (suppressions === null) return;
  const unsubscribed = slots.flatMap(({ stored, current }) => unsubscribedAddresses(stored, current));
  const bounced = run.bounced.map(({ email: address }) => {
    return { channel: 'email' as const, address, cause: 'bounce' as const, source: null };
  });
  const at = slots[0]?.current.updated_at ?? run.bounced[0]?.at;
  run.bounced = [];
  if (at === undefined || unsubscribed.length + bounced.length === 0) return;
  run.hasSuppressions = true;
  later(pending, suppressions.add(tx, companyId, [...unsubscribed, ...bounced], at));
}

/** The suppressions of the contacts' addresses. */
async function findSuppressed(
  { tx, companyId, suppressions, hasSuppressions }: Run,
  slots: Slot[],
): Promise<[Slot, SuppressedChannels][]> {
  // Hashing takes 4 µs an address; a company without suppressions need not spend that on a large import.
  if (suppressions === null || !hasSuppressions || slots.length === 0) return [];
  const contacts = slots.map((slot) => slot.current);
  // Lets the earlier statements be sent first: 500 addresses are hashed (2 ms) while the database works.
  await setImmediate();
  const found = await suppressions.find(tx, companyId, contacts);
  return slots.map((slot, i) => [slot, found[i]!]);
}

/** A suppression of an address takes precedence over the contact's consents. Returns the entries of the consent history. */
function applySuppressions({ tx, companyId, pending }: Run, found: [Slot, SuppressedChannels][]): ConsentOfSlot[] {
  const changed = found.flatMap(([slot, suppressed]) => {
    const before = slot.current;
    const after = withSuppressed(before, suppressed);
    if (after === before) return [];
    slot.current = after;
    slot.stored = after;
    slot.suppressed = consentsOf(after);
    return [{ slot, before, after }];
  });
  if (changed.length === 0) return [];
  const rows = changed.map(({ slot, after }) => ({ id: slot.id!, ...after }));
  later(pending, queries.updateContacts(tx, companyId, rows));
  const moved = changed.filter(({ before, after }) => before.status !== after.status);
  if (moved.length > 0) later(pending, insertActivity(tx, companyId, moved.map(suppressedChange)));
  return changed.flatMap(({ slot, before, after }) => entriesOf(slot, consentChanges(before, after)));
}

/** An entry of the consent history; the contact's id may not be known yet. */
interface ConsentOfSlot {
  slot: Slot;
  row: Omit<ConsentRow, 'contactId'>;
}

function entriesOf(slot: Slot, rows: Omit<ConsentRow, 'contactId'>[]): ConsentOfSlot[] {
  return rows.map((row) => ({ slot, row }));
}

/* Timeline entries for changes by upserts. */

function preferenceChange({ id, current }: Slot): ActivityRow {
  const data = { ...preferencesRecord(current), source: 'api' };
  return { contactId: id!, type: 'preferences_changed', data, at: current.updated_at };
}

function statusChange(slot: Slot): ActivityRow {
  return {
    contactId: slot.id!,
    type: 'status_changed',
    data: { from: slot.stored!.status, to: slot.current.status, cause: 'upsert' },
    at: slot.current.updated_at,
  };
}

function suppressedChange({ slot, before, after }: { slot: Slot; before: Contact; after: Contact }): ActivityRow {
  const cause = after.status === 'bounced' ? 'suppressed_bounce' : 'suppressed_unsubscribe';
  const data = { from: before.status, to: after.status, cause };
  return { contactId: slot.id!, type: 'status_changed', data, at: after.updated_at };
}
