import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import { isDataFault, type Settled } from '../../../db/batching/batcher.ts';
import { type Db, sqlState, type Tx } from '../../../db/pool.ts';
import { type Correlation, requestIdOf } from '../../../lib/tracing/correlation.ts';
import type { ContactChange } from '../../contacts/service.ts';
import type { EventInput } from '../../events/event.ts';
import type { MembershipChange } from '../../lists/service.ts';
import type { KnowsType } from '../definition/check-references.ts';
import { type Effect, messageKey } from '../engine/run.ts';
import { messageOf, nextAttempt } from './attempts.ts';
import type { Transition } from './queries.ts';
import * as queries from './queries.ts';
import { effectsOf } from './run-transitions.ts';
import { noList, skipped } from './skipping.ts';

/** A message of a step, as messaging accepts it. */
export interface FlowMessage {
  idemKey: string;
  channel: 'email' | 'sms';
  contactId: number;
  origin: { kind: 'flow'; flowId: number; version: number; runId: number; stepId: string; eventId: number | null };
  transactional: boolean;
  dueAt: Date;
  correlation: Correlation | null;
}

/** What writing effects requires from other folders; each function handles a set. */
export interface EffectDeps {
  changeContacts(tx: Tx, companyId: number, changes: ContactChange[], now: Date): Promise<Settled<unknown>[]>;
  changeMemberships(tx: Tx, companyId: number, changes: MembershipChange[], now: Date): Promise<unknown>;
  /** Returns the lists that exist. */
  findLists(tx: Tx, companyId: number, ids: number[]): Promise<{ id: number }[]>;
  queueMessages(tx: Tx, companyId: number, messages: FlowMessage[], now: Date): Promise<unknown>;
}

/** Thrown if the effects of some runs were rejected: these runs must fail, and the others continue. */
export class RunsRefused extends Error {
  /** The error of each run. */
  readonly reasons: ReadonlyMap<number, unknown>;

  constructor(reasons: ReadonlyMap<number, unknown>) {
    super(`The effects of ${reasons.size} runs were refused`);
    this.name = 'RunsRefused';
    this.reasons = reasons;
  }
}

/** Waits for all promises, so that no rejection is unhandled, then throws the first error. */
export async function settleAll(promises: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

export async function writeEffects(
  tx: Tx,
  companyId: number,
  transitions: Transition[],
  deps: EffectDeps,
  now: Date,
): Promise<void> {
  await requireLists(tx, companyId, transitions, deps);
  await changeContacts(tx, companyId, transitions, deps, now);
  const memberships = effectsOf(transitions, 'membership').map(({ effect: { listId, action }, transition }) => {
    return { contactId: transition.outcome.run.contactId, listId, action };
  });
  const messages = effectsOf(transitions, 'message').map(({ effect, transition }) =>
    flowMessageOf(effect, transition, now),
  );
  const calls = effectsOf(transitions, 'webhook');
  const domainEvents = effectsOf(transitions, 'event');
  const notifications = effectsOf(transitions, 'notification');
  const writing: Promise<unknown>[] = [];
  if (memberships.length > 0) writing.push(deps.changeMemberships(tx, companyId, memberships, now));
  if (messages.length > 0) writing.push(deps.queueMessages(tx, companyId, messages, now));
  if (calls.length > 0) writing.push(queries.insertWebhookCalls(tx, companyId, calls, now));
  if (domainEvents.length > 0) writing.push(queries.insertDomainEvents(tx, companyId, domainEvents));
  if (notifications.length > 0) writing.push(queries.insertNotifications(tx, companyId, notifications, now));
  await settleAll(writing);
}

/** Throws RunsRefused for runs that add their contact to a deleted list: continuing would hide the error. */
async function requireLists(tx: Tx, companyId: number, transitions: Transition[], deps: EffectDeps): Promise<void> {
  const joining = effectsOf(transitions, 'membership').filter(({ effect }) => effect.action === 'add');
  if (joining.length === 0) return;
  const lists = await deps.findLists(tx, companyId, [...new Set(joining.map(({ effect }) => effect.listId))]);
  const known = new Set(lists.map(({ id }) => id));
  const lost = joining.filter(({ effect }) => !known.has(effect.listId));
  if (lost.length === 0) return;
  throw new RunsRefused(
    new Map(lost.map(({ effect, transition }) => [transition.update.id, new Error(noList(effect.listId))])),
  );
}

async function changeContacts(
  tx: Tx,
  companyId: number,
  transitions: Transition[],
  deps: EffectDeps,
  now: Date,
): Promise<void> {
  const changes = effectsOf(transitions, 'contact');
  if (changes.length === 0) return;
  const outcomes = await deps.changeContacts(
    tx,
    companyId,
    changes.map(({ effect, transition }) => ({ contactId: transition.outcome.run.contactId, ...effect.change })),
    now,
  );
  const refused = new Map<number, unknown>();
  outcomes.forEach((outcome, i) => {
    if (!outcome.ok) refused.set(changes[i]!.transition.update.id, outcome.error);
  });
  if (refused.size > 0) throw new RunsRefused(refused);
}

function flowMessageOf(effect: Effect & { kind: 'message' }, { outcome: { run } }: Transition, now: Date): FlowMessage {
  const { stepId, visit, channel, transactional } = effect;
  const { runId, flowId, version, contactId } = run;
  const eventId = run.event?.event_id ?? null;
  return {
    idemKey: messageKey(runId, stepId, visit),
    channel,
    contactId,
    origin: { kind: 'flow', flowId, version, runId, stepId, eventId },
    transactional,
    dueAt: now,
    correlation: run.correlation,
  };
}

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
