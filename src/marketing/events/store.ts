import type { Settled } from '../../db/batching/batcher.ts';
import { type BatchWork, later } from '../../db/batching/idempotent-batch.ts';
import type { Tx } from '../../db/pool.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import { contactOf, type EventContact, type EventInput, type EventOutcome, type StoredEvent } from './event.ts';
import { type EventKey, eventKey } from './keys.ts';
import * as queries from './queries.ts';

/** Functions of other folders that storing needs. Injected in app.ts, since those folders use this one. */
export interface EventConsequences {
  /** Returns the ids of contacts that exist and need no update, and null for the others. Writes nothing. */
  findContacts(tx: Tx, companyId: number, contacts: EventContact[], now: Date): Promise<(number | null)[]>;
  resolveContacts(
    tx: Tx,
    companyId: number,
    contacts: EventContact[],
    now: Date,
  ): Promise<Settled<{ contactId: number }>[]>;
  /**
   * Starts flows and signals runs; returns the ids of the started flows by event_id. Adds statements that only COMMIT
   * must wait for to `pending`.
   */
  onEvents(
    tx: Tx,
    companyId: number,
    events: StoredEvent[],
    now: Date,
    pending?: Promise<unknown>[],
  ): Promise<Map<number, number[]>>;
}

/** Whether some events of a set may be known. */
export type KnownEvents = 'none' | 'some';

/** The state of storing one set of events. */
interface Storing {
  tx: Tx;
  companyId: number;
  now: Date;
  consequences: EventConsequences;
  /** Statements in flight that only COMMIT must wait for. */
  pending: Promise<unknown>[];
  commits: boolean;
  known: KnownEvents;
  /** Whether an event was known. */
  sawKnown: boolean;
}

/**
 * Stores a set of events with their effects, in order; each is settled on its own. A known event has no effect, not even on its
 * contact.
 * @param commits whether COMMIT follows at once, and the transaction is repeated if a condition fails by then
 * @param known with `none`, a unique index makes the transaction fail if an event is known
 * @returns `sawKnown`: whether an event was known before this set
 * See docs/design/events.md.
 */
export async function storeInto(
  tx: Tx,
  companyId: number,
  events: readonly EventInput[],
  now: Date,
  consequences: EventConsequences,
  { commits, known }: { commits: boolean; known: KnownEvents },
): Promise<BatchWork<EventOutcome> & { sawKnown: boolean }> {
  const storing: Storing = { tx, companyId, now, consequences, pending: [], commits, known, sawKnown: false };
  const entries = events.map((event): Entry => ({ event, key: eventKey(event), outcome: undefined }));
  let open = entries;
  // A second round is needed only if an event was rejected and an equal one follows, which is then stored by itself.
  while (open.length > 0) {
    await storeRound(storing, open);
    open = open.filter((entry) => entry.outcome === undefined);
  }
  const outcomes = entries.map((entry) => entry.outcome!);
  return { outcomes, pending: storing.pending, sawKnown: storing.sawKnown };
}

/** Settles the first entry of each key, and the other entries of a key whose first one was accepted. */
async function storeRound(storing: Storing, open: Entry[]): Promise<void> {
  const { tx, companyId, now } = storing;
  const firsts = new Map<string, Entry>();
  for (const entry of open) if (!firsts.has(entry.key.key)) firsts.set(entry.key.key, entry);
  const entries = [...firsts.values()];
  // One round trip, and usually the only reads: most events are new, and most contacts exist. Contacts come first, so that
  // every set takes the lock against erasure before its keys (only for phone numbers, the country is read before that).
  const [contacts, ids] = await Promise.all([findContacts(storing, entries), takeIds(storing, entries)]);
  const fresh: Fresh[] = [];
  const known: Entry[] = [];
  entries.forEach((entry, i) => {
    const eventId = ids[i];
    if (eventId === undefined) known.push(entry);
    else fresh.push({ entry, eventId, contactId: contacts[i]! });
  });
  if (storing.known === 'none') later(storing.pending, queries.insertKeys(tx, companyId, fresh.map(keyOf), now));
  if (fresh.length > 0) await storeFresh(storing, fresh);
  if (known.length > 0) {
    storing.sawKnown = true;
    await settleKnown(storing, known);
  }
  for (const entry of open) {
    const first = firsts.get(entry.key.key)!.outcome!;
    if (entry.outcome === undefined && first.ok) entry.outcome = duplicateOf(first.value);
  }
}

/** Ids for new events, in the order of the entries; undefined for known ones. With `none` the keys are not read. */
async function takeIds(
  { tx, companyId, now, known }: Storing,
  entries: Entry[],
): Promise<readonly (number | undefined)[]> {
  if (known === 'none') return queries.takeEventIds(tx, entries.length);
  const keys = entries.map((entry) => entry.key);
  const claimed = await queries.claimKeys(tx, companyId, keys, now);
  const ids = new Map(claimed.map((row) => [row.key, row.event_id]));
  return keys.map(({ key }) => ids.get(key));
}

async function storeFresh(storing: Storing, fresh: Fresh[]): Promise<void> {
  const { tx, companyId, now, consequences, pending } = storing;
  const contacts = await resolveContacts(storing, fresh);
  const rows: queries.EventRow[] = [];
  const stored: Entry[] = [];
  const refused: string[] = [];
  fresh.forEach(({ entry, eventId }, i) => {
    const contact = contacts[i]!;
    if (contact.ok) {
      stored.push(entry);
      rows.push(rowOf(entry.event, eventId, contact.value.contactId));
    } else {
      refused.push(entry.key.key);
      entry.outcome = contact;
    }
  });
  if (refused.length > 0) await queries.releaseKeys(tx, companyId, refused);
  if (rows.length === 0) return;
  later(storing.pending, queries.insertEvents(tx, companyId, rows, now));
  const started = await consequences.onEvents(
    tx,
    companyId,
    rows.map((row, i) => storedEvent(row, now, stored[i]!.event.correlation ?? null)),
    now,
    storing.commits ? pending : undefined,
  );
  stored.forEach((entry, i) => {
    const { event_id, event_type, contact_id } = rows[i]!;
    const flows_triggered = started.get(event_id) ?? [];
    entry.outcome = { ok: true, value: { event_id, event_type, contact_id, duplicate: false, flows_triggered } };
  });
}

/** The ids of the existing contacts of the entries, in order, by one query. */
async function findContacts({ tx, companyId, now, consequences }: Storing, entries: Entry[]) {
  const asked = entries.filter((entry) => entry.event.contactId === undefined);
  const contacts = asked.map((entry) => contactOf(entry.event));
  const found = asked.length === 0 ? [] : await consequences.findContacts(tx, companyId, contacts, now);
  let next = 0;
  return entries.map(({ event: { contactId } }) => (contactId === undefined ? found[next++]! : contactId));
}

/** The contacts of all entries, in order, after the missing ones are created. */
async function resolveContacts(
  { tx, companyId, now, consequences }: Storing,
  fresh: Fresh[],
): Promise<Settled<{ contactId: number }>[]> {
  const open = fresh.filter(({ contactId }) => contactId === null);
  const contacts = open.map(({ entry }) => contactOf(entry.event));
  const made = open.length === 0 ? [] : await consequences.resolveContacts(tx, companyId, contacts, now);
  let next = 0;
  return fresh.map(({ contactId }) => (contactId === null ? made[next++]! : { ok: true, value: { contactId } }));
}

async function settleKnown({ tx, companyId }: Storing, known: Entry[]): Promise<void> {
  const keys = known.map((entry) => entry.key.key);
  const firsts = new Map((await queries.findFirstEvents(tx, companyId, keys)).map((row) => [row.key, row]));
  for (const entry of known) {
    const first = firsts.get(entry.key.key);
    if (first === undefined) throw new Error(`The event of the key ${entry.key.key} is missing`);
    const { event_id, event_type, contact_id } = first;
    entry.outcome = duplicateOf({ event_id, event_type, contact_id });
  }
}

/** An event of a set while it is being stored; `outcome` is undefined until it is settled. */
interface Entry {
  event: EventInput;
  key: EventKey;
  outcome: Settled<EventOutcome> | undefined;
}

/** An event older than this is stored, and starts nothing. */
const TRIGGERS_FOR_MS = 24 * 3_600_000;

/** A new event with its id. */
interface Fresh {
  entry: Entry;
  eventId: number;
  /** Null if the contact must be created or updated. */
  contactId: number | null;
}

function keyOf({ entry: { key }, eventId }: Fresh): queries.KeyRow {
  return { ...key, event_id: eventId };
}

function rowOf(event: EventInput, eventId: number, contactId: number): queries.EventRow {
  return {
    event_id: eventId,
    event_type: event.eventType,
    contact_id: contactId,
    occurred_at: event.occurredAt ?? null,
    source: event.source,
    external_id: event.eventId ?? null,
    data: event.data,
  };
}

function storedEvent(row: queries.EventRow, now: Date, correlation: Correlation | null): StoredEvent {
  const { event_id, event_type, contact_id, data, source } = row;
  const occurred_at = row.occurred_at ?? now;
  const triggers = now.getTime() - occurred_at.getTime() <= TRIGGERS_FOR_MS;
  return { event_id, event_type, contact_id, data, occurred_at, source, triggers, correlation };
}

function duplicateOf(first: Pick<EventOutcome, 'event_id' | 'event_type' | 'contact_id'>): Settled<EventOutcome> {
  const { event_id, event_type, contact_id } = first;
  return { ok: true, value: { event_id, event_type, contact_id, duplicate: true, flows_triggered: [] } };
}

/**
 * Whether a company's batches insert event keys without looking for known ones. That saves an eighth of the database's
 * work for an event; if a key exists after all, the unique index makes the batch fail, and it is stored again.
 */
interface OptimisticInserts {
  /** Called once for each batch. */
  expectsNew(companyId: number): boolean;
  /** Called when a batch had a known event. More are likely to follow, since senders repeat whole batches and days. */
  sawKnown(companyId: number): void;
}

/** The number of batches that look for their keys after one that had a known event. */
const CAREFUL_BATCHES = 100;

export function createOptimisticInserts(): OptimisticInserts {
  /** By company, the number of following batches that must look for their keys. */
  const careful = new Map<number, number>();
  return {
    expectsNew(companyId) {
      const left = careful.get(companyId);
      if (left === undefined) return true;
      if (left === 1) careful.delete(companyId);
      else careful.set(companyId, left - 1);
      return false;
    },
    sawKnown(companyId) {
      careful.set(companyId, CAREFUL_BATCHES);
    },
  };
}
