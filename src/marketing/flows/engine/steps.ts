import { evaluateRules, type RuleScope, valuesOf } from '../../rules/evaluate.ts';
import type { Facts } from '../../rules/facts.ts';
import type { RuleGroup } from '../../rules/language.ts';
import type { Config, EventMatch, QuietHours, Step } from '../definition/definition.ts';
import type { Effect, Run, RunContact, Signal } from './run.ts';
import { dateFieldMoment, isZone, momentAfter, nextClockTime, quietUntil } from './schedule.ts';
import { pickVariant } from './split.ts';

/** What steps see beside their run. */
export interface Surroundings {
  contact: RunContact;
  now: Date;
  /** The company's time zone. */
  zone: string;
  quietHours: QuietHours | null;
  facts?: Facts;
}

/** What a step decides: leave by a branch, rest until a moment (and leave by `outcome` then), or end the run. */
export type Decision =
  | { kind: 'leave'; branch: string; effects?: Effect[]; detail?: string; reload?: true }
  | { kind: 'rest'; until: Date; outcome: string | null; awaits?: string; effects?: Effect[] }
  | { kind: 'exit'; reason: string };

/** Flows and events of flows that may lead from one to the next. */
export const MAX_HOPS = 10;
/** How long a run waits for its webhook before it looks whether the call is still on its way; its tries end long before. */
const WEBHOOK_PATIENCE_MS = 24 * 3_600_000;
const DEFAULT_TIMEOUT = { value: 30, unit: 'days' } as const;

export function webhookPatience(now: Date): Date {
  return new Date(now.getTime() + WEBHOOK_PATIENCE_MS);
}

/** Does one step. Throws where it cannot be done; the run then fails at it. */
export function decide(step: Step, run: Run, here: Surroundings): Decision {
  const stepId = step.step_id;
  const visit = run.state.visits[stepId] ?? 1;
  switch (step.type) {
    case 'send_email':
    case 'send_sms':
      return decideSend(step, visit, here);
    case 'webhook':
      return {
        kind: 'rest',
        until: webhookPatience(here.now),
        outcome: 'failed',
        effects: [{ kind: 'webhook', stepId, visit }],
      };
    case 'delay':
      return step.config.value > 0
        ? { kind: 'rest', until: momentAfter(here.now, step.config), outcome: 'default' }
        : { kind: 'leave', branch: 'default' };
    case 'wait_until':
      return decideWaitUntil(step.config, run, visit, here);
    case 'wait_for_event':
      return {
        kind: 'rest',
        until: momentAfter(here.now, step.config.timeout ?? DEFAULT_TIMEOUT),
        outcome: 'timeout',
        awaits: step.config.event_type,
      };
    case 'branch':
      return { kind: 'leave', branch: decideBranch(step.config, run, here) };
    case 'split':
      return {
        kind: 'leave',
        branch: pickVariant(step.config.variants, { flowId: run.flowId, stepId }, run.contactId),
      };
    case 'goal':
      // Come to by the way of all steps, the goal has not been reached.
      return { kind: 'leave', branch: 'default' };
    case 'exit':
      return { kind: 'exit', reason: step.config.reason ?? 'exit' };
    default:
      return decideDeed(step, run, visit);
  }
}

/** Steps that do something at once and go on. */
function decideDeed(
  step: Step & {
    type:
      | 'update_contact'
      | 'add_tag'
      | 'remove_tag'
      | 'add_to_list'
      | 'remove_from_list'
      | 'track_event'
      | 'start_flow'
      | 'notify';
  },
  run: Run,
  visit: number,
): Decision {
  const stepId = step.step_id;
  const leave = (effect: Effect): Decision => ({ kind: 'leave', branch: 'default', effects: [effect] });
  switch (step.type) {
    case 'update_contact':
      return leave({ kind: 'contact', change: { set: fieldsOf(step.config) } });
    case 'add_tag':
      return leave({ kind: 'contact', change: { addTags: [step.config.tag] } });
    case 'remove_tag':
      return leave({ kind: 'contact', change: { removeTags: [step.config.tag] } });
    case 'add_to_list':
    case 'remove_from_list': {
      const action = step.type === 'add_to_list' ? 'add' : 'remove';
      const effect: Effect = { kind: 'membership', listId: step.config.list_id, action };
      // Whether one is on a list afterwards is the list's decision: what follows reads the contact again.
      return { kind: 'leave', branch: 'default', effects: [effect], reload: true };
    }
    case 'track_event': {
      const { event_type: eventType, event_data: data = {} } = step.config;
      const hops = nextHop(run);
      return leave({ kind: 'event', stepId, visit, eventType, data: { ...data, flow_hops: hops } });
    }
    case 'start_flow':
      return leave({ kind: 'start', stepId, flowId: step.config.flow_id, hops: nextHop(run) });
    case 'notify':
      return leave({ kind: 'notification', stepId, message: step.config.message });
  }
}

/** A configuration may hold more than its type knows. */
function fieldsOf({ first_name, last_name, properties }: Config<'update_contact'>): Config<'update_contact'> {
  return {
    ...(first_name === undefined ? {} : { first_name }),
    ...(last_name === undefined ? {} : { last_name }),
    ...(properties === undefined ? {} : { properties }),
  };
}

function nextHop(run: Run): number {
  if (run.state.hops >= MAX_HOPS) throw new Error(`Flows start each other more than ${MAX_HOPS} times in a row`);
  return run.state.hops + 1;
}

/** Quiet hours hold the run at the step, not the message back: who buys overnight exits and gets none. */
function decideSend(step: Step & { type: 'send_email' | 'send_sms' }, visit: number, here: Surroundings): Decision {
  const transactional = step.config.transactional ?? false;
  if (here.quietHours !== null && !transactional) {
    const until = quietUntil(here.quietHours, zoneFor(here.quietHours.timezone, here), here.now);
    if (until !== null) return { kind: 'rest', until, outcome: null };
  }
  const channel = step.type === 'send_email' ? 'email' : 'sms';
  return {
    kind: 'leave',
    branch: 'default',
    effects: [{ kind: 'message', stepId: step.step_id, visit, channel, transactional }],
  };
}

function decideWaitUntil(config: Config<'wait_until'>, run: Run, visit: number, here: Surroundings): Decision {
  const zone = zoneFor(config.timezone, here);
  if (config.date_field === undefined) {
    // Who comes back on a loop waits for the next time, not for the one that is now.
    const until = nextClockTime(config, zone, here.now, visit > 1);
    return until > here.now
      ? { kind: 'rest', until, outcome: 'default' }
      : { kind: 'leave', branch: 'default', detail: 'at the time' };
  }
  const [value] = valuesOf(config.date_field, ruleScope(run, here.contact));
  const moment = dateFieldMoment(value, config, zone);
  if (moment === null) return { kind: 'leave', branch: 'default', detail: `no date in ${config.date_field}` };
  return moment > here.now
    ? { kind: 'rest', until: moment, outcome: 'default' }
    : { kind: 'leave', branch: 'default', detail: 'date passed' };
}

function decideBranch({ paths }: Config<'branch'>, run: Run, here: Surroundings): string {
  const scope = ruleScope(run, here.contact, here.facts);
  // All that any of the paths asks for at once, so that it is loaded at once.
  for (const { conditions } of paths) here.facts?.require(here.contact.contact_id, conditions as RuleGroup);
  return paths.find(({ conditions }) => evaluateRules(conditions as RuleGroup, scope, here.now))?.key ?? 'else';
}

/** What rules can speak of: the data of the run's event, what its webhooks answered, and the contact. */
export function ruleScope(run: Run, contact: RunContact, facts?: Facts): RuleScope {
  const { vars } = run.state;
  const data = run.event?.data ?? null;
  return scopeOf(Object.keys(vars).length === 0 ? data : { ...data, ...vars }, contact, facts);
}

function scopeOf(event: object | null, contact: RunContact, facts?: Facts): RuleScope {
  return facts === undefined
    ? { event, contact }
    : { event, contact, history: (rule) => facts.holds(contact.contact_id, rule) };
}

/** Whether an event is the one that is meant. */
export function isMatch(
  match: EventMatch,
  signal: Signal & { kind: 'event' },
  run: Run,
  { contact, now, facts }: Pick<Surroundings, 'contact' | 'now' | 'facts'>,
): boolean {
  if (match.event_type !== signal.event_type) return false;
  if (match.same?.some((path) => !isSame(path, signal.data, run.event?.data ?? {}))) return false;
  if (match.conditions === undefined) return true;
  facts?.require(contact.contact_id, match.conditions);
  return evaluateRules(match.conditions, scopeOf(signal.data, contact, facts), now);
}

/** Whether both have one and the same at the path; ids may be texts here and numbers there. */
function isSame(path: string, data: object, other: object): boolean {
  const [one, two] = [data, other].map((event) => valuesOf(path, { event, contact: null }));
  return one!.length === 1 && two!.length === 1 && String(one![0]) === String(two![0]);
}

function zoneFor(configured: string | undefined, { contact, zone }: Surroundings): string {
  if (configured !== undefined && configured !== 'contact') return configured;
  const own = contact.properties.timezone ?? contact.properties.time_zone;
  return typeof own === 'string' && isZone(own) ? own : zone;
}
