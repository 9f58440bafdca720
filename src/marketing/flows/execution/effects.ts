import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { ContactChange } from '../../contacts/service.ts';
import type { MembershipChange } from '../../lists/service.ts';
import type { Effect } from '../engine/run.ts';
import * as effectQueries from './effect-queries.ts';
import { messageKey } from './message-keys.ts';
import { effectsOf, type Transition } from './run-transitions.ts';
import { noList } from './skipping.ts';

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
    messageOf(effect, transition, now),
  );
  const calls = effectsOf(transitions, 'webhook');
  const domainEvents = effectsOf(transitions, 'event');
  const notifications = effectsOf(transitions, 'notification');
  const writing: Promise<unknown>[] = [];
  if (memberships.length > 0) writing.push(deps.changeMemberships(tx, companyId, memberships, now));
  if (messages.length > 0) writing.push(deps.queueMessages(tx, companyId, messages, now));
  if (calls.length > 0) writing.push(effectQueries.insertWebhookCalls(tx, companyId, calls, now));
  if (domainEvents.length > 0) writing.push(effectQueries.insertDomainEvents(tx, companyId, domainEvents));
  if (notifications.length > 0) writing.push(effectQueries.insertNotifications(tx, companyId, notifications, now));
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

export async function changeContacts(
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

function messageOf(effect: Effect & { kind: 'message' }, { outcome: { run } }: Transition, now: Date): FlowMessage {
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
