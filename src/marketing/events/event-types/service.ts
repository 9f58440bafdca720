import { createCompanyCache } from '../../../access/company-cache.ts';
import type { CompanyVersions } from '../../../access/company-versions.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import { invalidField, notFound } from '../../../errors.ts';
import { BUILT_IN_TYPES, type EventTypes, eventTypesWith, isBuiltIn, SHOP_TYPES } from './built-in.ts';
import type { EventTypeInput } from './contract.ts';
import * as queries from './queries.ts';

export interface EventTypeRecord {
  event_type: string;
  required_keys: string[];
  built_in: boolean;
}

export interface EventTypesService {
  /** The built-in types, then the registered ones. */
  listTypes(companyId: number): Promise<{ event_types: EventTypeRecord[] }>;
  /** Whether the type exists for the company: built in, registered, or sent by the shop itself. */
  knowsType(companyId: number, eventType: string): Promise<boolean>;
  /** Returns types against which events with these names can be checked. */
  typesWith(companyId: number, names: readonly unknown[]): Promise<EventTypes>;
  /** The cached types, undefined if there are none; does not query the database. */
  peekTypes(companyId: number): EventTypes | undefined;
  /** Throws validation_failed for a built-in type, and for more than 200 registered ones. */
  registerType(caller: Caller, input: EventTypeInput): Promise<EventTypeRecord & { created: boolean }>;
  /** Throws validation_failed for a built-in type, not_found for an unknown one. */
  removeType(caller: Caller, eventType: string): Promise<{ event_type: string; deleted: true }>;
}

/** The maximum number of registered types per company. */
const MAX_TYPES = 200;

export function createEventTypesService({ db, versions }: { db: Db; versions: CompanyVersions }): EventTypesService {
  const types = createCompanyCache(db, versions, loadTypes);

  /** Reads the types again if the cache lacks one of the names: it may have been registered a moment ago. */
  async function typesWith(companyId: number, names: readonly unknown[]): Promise<EventTypes> {
    const cached = types.peek(companyId) ?? (await types.get(companyId));
    return names.every((name) => typeof name !== 'string' || cached.has(name))
      ? cached
      : loadTypes(db.points(companyId), companyId);
  }

  return {
    typesWith,
    peekTypes: (companyId) => types.peek(companyId),
    async listTypes(companyId) {
      const registered = await queries.listEventTypes(db.lists(companyId), companyId);
      const builtIn = Object.entries(BUILT_IN_TYPES).map(([event_type, required_keys]) => ({
        event_type,
        required_keys: [...required_keys],
        built_in: true,
      }));
      return { event_types: [...builtIn, ...registered.map((row) => ({ ...row, built_in: false }))] };
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
          throw invalidField('event_type', `A company can have at most ${MAX_TYPES} custom event types`);
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
      // This process rejects events of the type from now on, other processes within a second.
      await versions.refresh();
      return removed;
    },
  };
}

async function loadTypes(db: Queryable, companyId: number): Promise<EventTypes> {
  return eventTypesWith(await queries.listEventTypes(db, companyId));
}
