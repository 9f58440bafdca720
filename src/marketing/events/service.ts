import { type CompanyVersions, createCompanyCache } from '../../access/company-versions.ts';
import type { Caller } from '../../caller.ts';
import { createBatcher, type Settled } from '../../db/batching/batch.ts';
import { runBatch } from '../../db/batching/idempotent-batch.ts';
import { write } from '../../db/idempotency.ts';
import { type Db, type Queryable, sqlState, type Tx } from '../../db/pool.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { parseTimestamp } from '../time.ts';
import type { EventQuery, EventTypeInput, SentEvent } from './contract.ts';
import { createExpectation } from './expectation.ts';
import { normaliseEvent, readEvent } from './normalise.ts';
import * as queries from './queries.ts';
import { type EventConsequences, type EventContact, type KnownEvents, storeInto } from './store.ts';
import {
  BUILT_IN_TYPES,
  type EventInput,
  type EventOutcome,
  type EventSource,
  type EventTypes,
  eventTypesWith,
  isBuiltIn,
  SHOP_TYPES,
  type StoredEvent,
} from './types.ts';

export type { EventConsequences, EventContact, EventInput, EventOutcome, EventSource, StoredEvent };

/** What became of many events of one request. */
export interface BatchOutcome {
  accepted: number;
  duplicates: number;
  rejected: { index: number; message: string }[];
  events: (EventOutcome & { index: number })[];
}

export interface EventsService extends ReturnType<typeof eventReads> {
  /** One event of a request; the answer comes once it is on disk. */
  track(caller: Caller, sent: SentEvent): Promise<EventOutcome>;
  /**
   * Up to 500 events in one transaction, each accepted or refused alone. Gives what `outcomeOf` makes of them, which may
   * refuse the request as a whole.
   */
  trackMany<Out>(
    caller: Caller,
    values: unknown[],
    source: EventSource,
    outcomeOf: (batch: BatchOutcome) => Out,
  ): Promise<Out>;
  /** For other parts of the product, in a transaction of theirs. */
  storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date): Promise<Settled<EventOutcome>[]>;
  /** Whether events of the type may come: it is built in, registered, or the shop's own. */
  knowsType(companyId: number, eventType: string): Promise<boolean>;
  registerType(caller: Caller, input: EventTypeInput): Promise<EventTypeRecord & { created: boolean }>;
  removeType(caller: Caller, eventType: string): Promise<{ event_type: string; deleted: true }>;
}

export interface EventsDeps extends EventConsequences {
  db: Db;
  versions: CompanyVersions;
}

const UNIQUE_VIOLATION = '23505';
const MAX_TYPES = 200;
/** A request of up to so many events shares a transaction with others; a larger one has its own. */
const MAX_SHARING = 10;

/** The events of one request, and what their outcomes come to for it. */
interface Sent<Out> {
  caller: Caller;
  events: EventInput[];
  settle(outcomes: Settled<EventOutcome>[]): Settled<Out>;
}

/** Reads of many rows, each in the lane for those. */
function eventReads(db: Db) {
  return {
    listEvents: (companyId: number, query: EventQuery) => listEvents(db.lists(companyId), companyId, query),
    listTypes: (companyId: number) => listTypes(db.lists(companyId), companyId),
  };
}

export function createEventsService(deps: EventsDeps): EventsService {
  const { db, versions } = deps;
  const types = createCompanyCache(db, versions, loadTypes);

  /** The company's types; asked anew where one is not among those kept, since it may have been registered just now. */
  async function typesWith(companyId: number, names: readonly unknown[]): Promise<EventTypes> {
    const kept = types.peek(companyId) ?? (await types.get(companyId));
    return names.every((name) => typeof name !== 'string' || kept.has(name))
      ? kept
      : loadTypes(db.points(companyId), companyId);
  }

  async function storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date) {
    const { outcomes, pending } = await storeInto(tx, companyId, events, now, deps, {
      commits: false,
      known: 'some',
    });
    await Promise.all(pending);
    return outcomes;
  }

  /** In a transaction of the request's own. */
  async function storeAlone<Out>({ caller, events, settle }: Sent<Out>): Promise<Out> {
    return write(db, caller, async (tx) => {
      const outcomes = events.length > 0 ? await storeEvents(tx, caller.companyId, events, caller.now) : [];
      const settled = settle(outcomes);
      if (!settled.ok) throw settled.error;
      return settled.value;
    });
  }

  const batcher = createBatcher<Sent<unknown>, unknown>({
    name: 'events',
    key: (item) => item.caller.companyId,
    run: storeTogether,
    maxSize: 200,
    // Beside two of one company the processors rested for a third of the time; with four, two more are left for others.
    maxInFlight: 6,
    maxInFlightPerKey: 4,
  });

  const expectation = createExpectation();

  /** A batch; by two tries where an event is known against expectation. */
  async function storeTogether<Out>(companyId: number, members: Sent<Out>[]) {
    if (expectation.expectsNew(companyId)) {
      try {
        return (await storeExpecting('none', companyId, members)).settled;
      } catch (error) {
        // Nearly always a key of an event. Where it is not, the other try says so.
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        expectation.sawKnown(companyId);
      }
    }
    const { settled, sawKnown } = await storeExpecting('some', companyId, members);
    if (sawKnown) expectation.sawKnown(companyId);
    return settled;
  }

  async function storeExpecting<Out>(known: KnownEvents, companyId: number, members: Sent<Out>[]) {
    let sawKnown = false;
    const inOne = async (tx: Tx, fresh: Sent<Out>[]) => {
      const events = fresh.flatMap((member) => member.events);
      const { now } = fresh.at(-1)!.caller;
      const stored = await storeInto(tx, companyId, events, now, deps, { commits: true, known });
      sawKnown = stored.sawKnown;
      const rest = [...stored.outcomes];
      const outcomes = fresh.map((member) => member.settle(rest.splice(0, member.events.length)));
      return { outcomes, pending: stored.pending };
    };
    const settled = await runBatch(db, companyId, members, inOne, storeAlone<Out>);
    return { settled, sawKnown };
  }

  return {
    ...eventReads(db),
    storeEvents,
    async track(caller, sent) {
      const known = types.peek(caller.companyId);
      // Without a turn of its own where the type is known.
      const all = known?.has(sent.event_type) ? known : await typesWith(caller.companyId, [sent.event_type]);
      const event = normaliseEvent(sent, all, 'api', caller.now);
      return (await batcher.submit({ caller, events: [event], settle: ([outcome]) => outcome! })) as EventOutcome;
    },
    async trackMany<Out>(
      caller: Caller,
      values: unknown[],
      source: EventSource,
      outcomeOf: (batch: BatchOutcome) => Out,
    ) {
      const names = values.map((value) => (value as { event_type?: unknown } | null)?.event_type);
      const all = await typesWith(caller.companyId, names);
      const read = values.map((value) => settle(() => readEvent(value, all, source, caller.now)));
      const sent: Sent<Out> = {
        caller,
        events: read.flatMap((one) => (one.ok ? [one.value] : [])),
        settle(outcomes) {
          let next = 0;
          return settle(() => outcomeOf(summarise(read.map((one) => (one.ok ? outcomes[next++]! : one)))));
        },
      };
      if (sent.events.length === 0) return storeAlone(sent);
      if (sent.events.length <= MAX_SHARING) return (await batcher.submit(sent)) as Out;
      const [outcome] = await storeTogether(caller.companyId, [sent]);
      if (!outcome!.ok) throw outcome!.error;
      return outcome!.value;
    },
    async knowsType(companyId, eventType) {
      return SHOP_TYPES.has(eventType) || (await typesWith(companyId, [eventType])).has(eventType);
    },
    async registerType(caller, input) {
      const { event_type, required_keys = [] } = input;
      if (isBuiltIn(event_type)) throw invalidField('event_type', `${event_type} is a built-in event type`);
      return write(db, caller, async (tx) => {
        const existing = await queries.listEventTypes(tx, caller.companyId);
        if (existing.length >= MAX_TYPES && !existing.some((row) => row.event_type === event_type)) {
          throw invalidField('event_type', `A company has at most ${MAX_TYPES} event types of its own`);
        }
        const created = await queries.upsertEventType(tx, caller.companyId, { event_type, required_keys }, caller.now);
        return { event_type, required_keys, built_in: false, created };
      });
    },
    async removeType(caller, eventType) {
      if (isBuiltIn(eventType)) throw invalidField('event_type', `${eventType} is a built-in event type`);
      const removed = await write(db, caller, async (tx) => {
        if (!(await queries.deleteEventType(tx, caller.companyId, eventType))) throw notFound('event type');
        return { event_type: eventType, deleted: true as const };
      });
      // This process refuses its events from now on, the others within a second.
      await versions.refresh();
      return removed;
    },
  };
}

async function loadTypes(db: Queryable, companyId: number): Promise<EventTypes> {
  return eventTypesWith(await queries.listEventTypes(db, companyId));
}

function settle<T>(work: () => T): Settled<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, error };
  }
}

function summarise(outcomes: Settled<EventOutcome>[]): BatchOutcome {
  const summary: BatchOutcome = { accepted: 0, duplicates: 0, rejected: [], events: [] };
  outcomes.forEach((outcome, index) => {
    if (outcome.ok) {
      summary[outcome.value.duplicate ? 'duplicates' : 'accepted']++;
      summary.events.push({ index, ...outcome.value });
    } else if (outcome.error instanceof AppError) {
      summary.rejected.push({ index, message: messageOf(outcome.error) });
    } else throw outcome.error;
  });
  return summary;
}

/** Everything that is wrong with one event, in one sentence. */
function messageOf(error: AppError): string {
  const fields = (error.details.fields ?? []) as { message: string }[];
  return fields.length > 0 ? fields.map((field) => field.message).join('; ') : error.message;
}

export interface EventTypeRecord {
  event_type: string;
  required_keys: string[];
  built_in: boolean;
}

/** The built-in types, then the registered ones. */
export async function listTypes(db: Queryable, companyId: number): Promise<{ event_types: EventTypeRecord[] }> {
  const registered = await queries.listEventTypes(db, companyId);
  const builtIn = Object.entries(BUILT_IN_TYPES).map(([event_type, required_keys]) => ({
    event_type,
    required_keys: [...required_keys],
    built_in: true,
  }));
  return { event_types: [...builtIn, ...registered.map((row) => ({ ...row, built_in: false }))] };
}

/** A page of events as JSON texts, the last received first, and the cursor of the next page. */
export async function listEvents(
  db: Queryable,
  companyId: number,
  query: EventQuery,
): Promise<{ events: string[]; perPage: number; nextCursor: string | null }> {
  const perPage = query.per_page ?? 20;
  const rows = await queries.listEvents(db, companyId, {
    contactId: query.contact_id,
    eventType: query.event_type,
    from: momentOf('from', query.from),
    to: momentOf('to', query.to),
    before: query.cursor === undefined ? undefined : Number(query.cursor),
    limit: perPage + 1,
  });
  const events = rows.slice(0, perPage);
  const nextCursor = rows.length > perPage ? String(events.at(-1)!.event_id) : null;
  return { events: events.map((row) => row.json), perPage, nextCursor };
}

function momentOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = parseTimestamp(text);
  if (moment === null) throw new AppError('bad_request', `${name} must be YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601`);
  return moment;
}

export const ensurePartitions = queries.ensurePartitions;
export { addUpEvents } from './totals.ts';
export { findAddedUpTo } from './totals-queries.ts';
export { createKeyPurge } from './upkeep.ts';
