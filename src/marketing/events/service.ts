import type { CompanyVersions } from '../../access/company-versions.ts';
import type { Caller } from '../../caller.ts';
import { createBatcher, type Settled } from '../../db/batching/batcher.ts';
import { runBatch } from '../../db/batching/idempotent-batch.ts';
import { write } from '../../db/idempotency.ts';
import { type Db, type Queryable, sqlState, type Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { parseTimestamp } from '../../lib/timestamps.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import type { EventQuery, SentEvent } from './contract.ts';
import type { EventContact, EventInput, EventOutcome, EventSource, StoredEvent } from './event.ts';
import { createEventTypesService, type EventTypesService } from './event-types/service.ts';
import { normaliseEvent, readEvent } from './normalise.ts';
import * as queries from './queries.ts';
import { createOptimisticInserts, type EventConsequences, type KnownEvents, storeInto } from './store.ts';

export { addUpEvents, createKeyPurge, dropMonth, findAddedUpTo, removeEvents, removeMissedEvents } from './upkeep.ts';
export type { EventConsequences, EventContact, EventInput, EventOutcome, EventSource, StoredEvent };

export const ensurePartitions = queries.ensurePartitions;

export interface EventsService
  extends Pick<EventTypesService, 'listTypes' | 'knowsType' | 'registerType' | 'removeType'> {
  /** A page of events, the last received first, and the cursor of the next page. */
  listEvents(companyId: number, query: EventQuery): ReturnType<typeof listEvents>;
  /** Stores one event of a request. Resolves when it is committed. */
  track(caller: Caller, sent: SentEvent): Promise<EventOutcome>;
  /**
   * Stores up to 500 events in one transaction, each accepted or rejected on its own. `outcomeOf` creates the response from their
   * outcomes; if it throws, the whole request is rejected.
   */
  trackMany<Out>(
    caller: Caller,
    values: unknown[],
    source: EventSource,
    outcomeOf: (batch: BatchOutcome) => Out,
  ): Promise<Out>;
  /** Stores events in the caller's transaction. */
  storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date): Promise<Settled<EventOutcome>[]>;
}

interface EventsDeps extends EventConsequences {
  db: Db;
  versions: CompanyVersions;
}

const UNIQUE_VIOLATION = '23505';
/** A request with up to this many events shares a transaction with others; a larger one has its own. */
const MAX_SHARING = 10;

/** The events of one request, and the function that creates its response from their outcomes. */
interface Sent<Out> {
  caller: Caller;
  events: EventInput[];
  settle(outcomes: Settled<EventOutcome>[]): Settled<Out>;
}

export function createEventsService(deps: EventsDeps): EventsService {
  const { db, versions } = deps;
  const { listTypes, knowsType, registerType, removeType, ...types } = createEventTypesService({ db, versions });

  async function storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date) {
    const { outcomes, pending } = await storeInto(tx, companyId, events, now, deps, {
      commits: false,
      known: 'some',
    });
    await Promise.all(pending);
    return outcomes;
  }

  /** Stores the events in a separate transaction. */
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
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: storeTogether,
    maxSize: 200,
    // With two batches of one company in flight, the processors were idle a third of the time. Four leaves two for other companies.
    maxInFlight: 6,
    maxInFlightPerKey: 4,
  });

  const optimistic = createOptimisticInserts();

  /** Stores a batch. If an optimistic insert hits a known event, stores it again with a check of the keys. */
  async function storeTogether<Out>(companyId: number, members: Sent<Out>[]) {
    if (optimistic.expectsNew(companyId)) {
      try {
        return (await storeExpecting('none', companyId, members)).settled;
      } catch (error) {
        // Nearly always an event's key. Any other violation makes the second attempt fail as well.
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        optimistic.sawKnown(companyId);
      }
    }
    const { settled, sawKnown } = await storeExpecting('some', companyId, members);
    if (sawKnown) optimistic.sawKnown(companyId);
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
    listTypes,
    knowsType,
    registerType,
    removeType,
    listEvents: (companyId, query) => listEvents(db.lists(companyId), companyId, query),
    storeEvents,
    async track(caller, sent) {
      const cached = types.peekTypes(caller.companyId);
      // Skipping the await for a known type saves a turn of the event loop.
      const all = cached?.has(sent.event_type) ? cached : await types.typesWith(caller.companyId, [sent.event_type]);
      const event = normaliseEvent(sent, all, 'api', caller.now);
      event.correlation = correlationOf(caller);
      return (await batcher.submit({ caller, events: [event], settle: ([outcome]) => outcome! })) as EventOutcome;
    },
    async trackMany<Out>(
      caller: Caller,
      values: unknown[],
      source: EventSource,
      outcomeOf: (batch: BatchOutcome) => Out,
    ) {
      const names = values.map((value) => (value as { event_type?: unknown } | null)?.event_type);
      const all = await types.typesWith(caller.companyId, names);
      const read = values.map((value) => settle(() => readEvent(value, all, source, caller.now)));
      const correlation = correlationOf(caller);
      for (const one of read) if (one.ok) one.value.correlation = correlation;
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
  };
}

/** A page of events, the last received first, and the cursor of the next page. */
async function listEvents(
  db: Queryable,
  companyId: number,
  query: EventQuery,
): Promise<{ events: RawJson[]; perPage: number; nextCursor: string | null }> {
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
  return { events: events.map((row) => new RawJson(row.json)), perPage, nextCursor };
}

function momentOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = parseTimestamp(text);
  if (moment === null) throw new AppError('bad_request', `${name} must be YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601`);
  return moment;
}

/** The outcomes of the events of one request. */
export interface BatchOutcome {
  accepted: number;
  duplicates: number;
  rejected: { index: number; message: string }[];
  events: (EventOutcome & { index: number })[];
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

/** All errors of one event in one sentence. */
function messageOf(error: AppError): string {
  const fields = (error.details.fields ?? []) as { message: string }[];
  return fields.length > 0 ? fields.map((field) => field.message).join('; ') : error.message;
}
