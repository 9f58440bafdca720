import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import { isDataFault, type Settled } from '../../../db/batching/batch.ts';
import { type Db, sqlState, type Tx } from '../../../db/pool.ts';
import type { EventInput } from '../../events/event.ts';
import type { KnowsType } from '../definition/check-references.ts';
import { messageOf, nextTry } from './attempts.ts';
import * as queries from './effect-queries.ts';
import { skipped } from './skipping.ts';

export interface EmissionDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  knowsType: KnowsType;
  storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date): Promise<Settled<unknown>[]>;
}

const SET = 200;

/** What a set of events is taken by. */
type Wanted = { limit: number; types?: string[]; ids?: number[] };

/**
 * Stores the events that steps made, in transactions of their own: each exactly once. One that is refused says so in the
 * log of its run, which has gone on. That is written where no event is stored: whoever stores events touches no row of a
 * run (see enrolment.ts). One that cannot be stored for now is put off, and those behind it go on.
 */
export function createEmissions({ db, clock, log, knowsType, storeEvents }: EmissionDeps) {
  async function store(companyId: number, limit: number, taken: queries.Emission[] = []): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const emissions = await queries.takeEmissions(tx, companyId, { now: clock.now(), limit });
      taken.splice(0, taken.length, ...emissions);
      if (emissions.length === 0) return 0;
      const unknown = await unknownTypes(companyId, emissions);
      if (unknown.length > 0) throw new TypesGone(unknown);
      const outcomes = await storeEvents(tx, companyId, emissions.map(inputOf), clock.now());
      const refused = outcomes.find((outcome) => !outcome.ok);
      if (refused !== undefined) throw refused.error;
      return emissions.length;
    });
  }

  async function unknownTypes(companyId: number, emissions: queries.Emission[]): Promise<string[]> {
    const types = [...new Set(emissions.map((emission) => emission.event_type))];
    const known = await Promise.all(types.map((type) => knowsType(companyId, type)));
    return types.filter((_, i) => !known[i]);
  }

  /** Takes events that nobody can store out of the way of those behind them. */
  async function refuse(companyId: number, wanted: Wanted, reason: string): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const emissions = await queries.takeEmissions(tx, companyId, { now: clock.now(), ...wanted });
      const notes = emissions.map(({ run_id: runId, step_id, event_type }) => {
        const detail = `The event ${event_type} was refused: ${reason}`;
        return { runId, entry: { step_id, type: 'track_event' as const, ...skipped(detail) } };
      });
      if (notes.length > 0) await queries.appendLog(tx, companyId, notes, clock.now());
      return emissions.length;
    });
  }

  /** The oldest event alone: one that makes its set fail is found in this way. */
  async function storeOne(companyId: number): Promise<number> {
    const taken: queries.Emission[] = [];
    try {
      return await store(companyId, 1, taken);
    } catch (error) {
      const [one] = taken;
      if (one === undefined || error instanceof TypesGone) throw error;
      if (isRefusal(error)) {
        log.error({ err: error, company_id: companyId }, 'an event of a flow was refused');
        return refuse(companyId, { limit: 1, ids: [one.id] }, messageOf(error));
      }
      await db.tenantTx(companyId, (tx) =>
        queries.postponeEmission(tx, companyId, one, nextTry(one.attempts, error, clock.now())),
      );
      log.error({ err: error, company_id: companyId, run_id: one.run_id }, 'an event of a flow is put off');
      return 1;
    }
  }

  return async (companyId: number): Promise<number> => {
    try {
      return await store(companyId, SET).catch((error: unknown) => {
        if (error instanceof TypesGone) throw error;
        return storeOne(companyId);
      });
    } catch (error) {
      if (!(error instanceof TypesGone)) throw error;
      return refuse(companyId, { limit: SET, types: error.types }, 'there is no such event type');
    }
  };
}

/** What is in the event is at fault, not the moment: time it takes and what others hold may be different later. */
function isRefusal(error: unknown): boolean {
  return isDataFault(error) && !/^(40|57)/.test(sqlState(error));
}

class TypesGone extends Error {
  readonly types: string[];

  constructor(types: string[]) {
    super(`There are no event types ${types.join(', ')}`);
    this.types = types;
  }
}

function inputOf({ event_type, data, contact_id, run_id, step_id, visit }: queries.Emission): EventInput {
  return {
    eventType: event_type,
    data,
    contactId: contact_id,
    eventId: `${run_id}:${step_id}:${visit}`,
    source: 'flow',
  };
}
