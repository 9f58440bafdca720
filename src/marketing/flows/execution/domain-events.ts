import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import { isDataFault, type Settled } from '../../../db/batching/batcher.ts';
import { type Db, sqlState, type Tx } from '../../../db/pool.ts';
import { requestIdOf } from '../../../lib/tracing/correlation.ts';
import type { EventInput } from '../../events/event.ts';
import type { KnowsType } from '../definition/check-references.ts';
import { messageOf, nextAttempt } from './attempts.ts';
import * as queries from './effect-queries.ts';
import { skipped } from './skipping.ts';

export interface DomainEventDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  knowsType: KnowsType;
  storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date): Promise<Settled<unknown>[]>;
}

const SET = 200;

/** The selection of a set of events. */
type Wanted = { limit: number; types?: string[]; ids?: number[] };

/**
 * Stores the events of track_event steps, each exactly once, in separate transactions. A rejected event is
 * logged in its run, in a transaction that stores no event, since those must touch no row of a run (see enrolment.ts). An
 * event that cannot be stored at present is postponed, and does not block the following ones.
 */
export function createDomainEvents({ db, clock, log, knowsType, storeEvents }: DomainEventDeps) {
  async function store(companyId: number, limit: number, taken: queries.DomainEvent[] = []): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const events = await queries.takeDomainEvents(tx, companyId, { now: clock.now(), limit });
      taken.splice(0, taken.length, ...events);
      if (events.length === 0) return 0;
      const unknown = await unknownTypes(companyId, events);
      if (unknown.length > 0) throw new UnknownTypes(unknown);
      const outcomes = await storeEvents(tx, companyId, events.map(inputOf), clock.now());
      const refused = outcomes.find((outcome) => !outcome.ok);
      if (refused !== undefined) throw refused.error;
      return events.length;
    });
  }

  async function unknownTypes(companyId: number, events: queries.DomainEvent[]): Promise<string[]> {
    const types = [...new Set(events.map((event) => event.event_type))];
    const known = await Promise.all(types.map((type) => knowsType(companyId, type)));
    return types.filter((_, i) => !known[i]);
  }

  /** Deletes events that can never be stored, and logs their rejection in their runs. */
  async function refuse(companyId: number, wanted: Wanted, reason: string): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const events = await queries.takeDomainEvents(tx, companyId, { now: clock.now(), ...wanted });
      const notes = events.map(({ run_id: runId, step_id, event_type }) => {
        const detail = `The event ${event_type} was refused: ${reason}`;
        return { runId, entry: { step_id, type: 'track_event' as const, ...skipped(detail) } };
      });
      if (notes.length > 0) await queries.appendLog(tx, companyId, notes, clock.now());
      return events.length;
    });
  }

  /** Stores the oldest event by itself: if it fails, it is the cause of the failure of its set. */
  async function storeOne(companyId: number): Promise<number> {
    const taken: queries.DomainEvent[] = [];
    try {
      return await store(companyId, 1, taken);
    } catch (error) {
      const [one] = taken;
      if (one === undefined || error instanceof UnknownTypes) throw error;
      if (isRefusal(error)) {
        const request_id = requestIdOf(one.correlation);
        log.error(
          { err: error, company_id: companyId, run_id: one.run_id, request_id },
          'an event of a flow was refused',
        );
        return refuse(companyId, { limit: 1, ids: [one.id] }, messageOf(error));
      }
      await db.tenantTx(companyId, (tx) =>
        queries.postponeDomainEvent(tx, companyId, one, nextAttempt(one.attempts, error, clock.now())),
      );
      log.error(
        { err: error, company_id: companyId, run_id: one.run_id, request_id: requestIdOf(one.correlation) },
        'an event of a flow is postponed',
      );
      return 1;
    }
  }

  return async (companyId: number): Promise<number> => {
    try {
      return await store(companyId, SET).catch((error: unknown) => {
        if (error instanceof UnknownTypes) throw error;
        return storeOne(companyId);
      });
    } catch (error) {
      if (!(error instanceof UnknownTypes)) throw error;
      return refuse(companyId, { limit: SET, types: error.types }, 'unknown event type');
    }
  };
}

/** Whether the content of the event is at fault. Timeouts and conflicts may pass, so they do not count. */
function isRefusal(error: unknown): boolean {
  return isDataFault(error) && !/^(40|57)/.test(sqlState(error));
}

class UnknownTypes extends Error {
  readonly types: string[];

  constructor(types: string[]) {
    super(`There are no event types ${types.join(', ')}`);
    this.types = types;
  }
}

function inputOf({
  event_type,
  data,
  contact_id,
  run_id,
  step_id,
  visit,
  correlation,
}: queries.DomainEvent): EventInput {
  return {
    eventType: event_type,
    data,
    contactId: contact_id,
    eventId: `${run_id}:${step_id}:${visit}`,
    source: 'flow',
    correlation,
  };
}
