import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Settled } from '../../db/batch.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { inSets } from '../../work/sets.ts';
import type { EventInput } from '../events/types.ts';
import * as queries from './effect-queries.ts';
import type { KnowsType } from './references.ts';
import { skipped } from './skipping.ts';

export interface EmissionDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  knowsType: KnowsType;
  storeEvents(tx: Tx, companyId: number, events: EventInput[], now: Date): Promise<Settled<unknown>[]>;
}

const SET = 200;

/**
 * Stores the events that steps made, in transactions of their own: each exactly once. One that is refused says so in the
 * log of its run, which has gone on. That is written where no event is stored: whoever stores events touches no row of a
 * run (see enrolment.ts).
 */
export function createEmissions({ db, clock, log, knowsType, storeEvents }: EmissionDeps) {
  async function store(companyId: number, limit: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const emissions = await queries.takeEmissions(tx, companyId, limit);
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
  async function refuse(companyId: number, limit: number, types: string[] | null, reason: string): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const emissions = await queries.takeEmissions(tx, companyId, limit, types);
      const notes = emissions.map(({ run_id: runId, step_id, event_type }) => {
        const detail = `The event ${event_type} was refused: ${reason}`;
        return { runId, entry: { step_id, type: 'track_event', ...skipped(detail) } };
      });
      if (notes.length > 0) await queries.appendLog(tx, companyId, notes, clock.now());
      return emissions.length;
    });
  }

  return async (companyId: number): Promise<number> => {
    try {
      return await inSets({
        size: SET,
        work: (limit) => store(companyId, limit),
        giveUp: (error) => {
          log.error({ err: error, company_id: companyId }, 'an event of a flow was refused');
          return refuse(companyId, 1, null, error instanceof Error ? error.message : String(error));
        },
      });
    } catch (error) {
      if (!(error instanceof TypesGone)) throw error;
      return refuse(companyId, SET, error.types, 'there is no such event type');
    }
  };
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
