import { isZone } from '../../../lib/time-zones/time-zones.ts';
import { quietUntil } from '../../../recipients/quiet-hours.ts';
import type { RuleGroup } from '../../../rules/language.ts';
import { evaluateRules, explainRules, type Finding, type RuleScope, valuesOf } from '../../rules/evaluate.ts';
import type { Config, Step } from '../definition/steps.ts';
import { ruleScope } from './event-match.ts';
import type { Decision, Effect, Run, StepContext } from './run.ts';
import { dateFieldMoment, momentAfter, nextAnniversary, nextClockTime } from './schedule.ts';
import { pickVariant } from './split.ts';

/** After this time a run checks whether its webhook call is still pending; normally its attempts end long before. */
const WEBHOOK_TIMEOUT_MS = 24 * 3_600_000;
const DEFAULT_TIMEOUT = { value: 30, unit: 'days' } as const;

export function webhookDeadline(now: Date): Date {
  return new Date(now.getTime() + WEBHOOK_TIMEOUT_MS);
}

/** Decides one step. Throws if the step cannot run; the run then fails at it. */
export function decide(step: Step, run: Run, context: StepContext): Decision {
  const stepId = step.step_id;
  const visit = run.state.visits[stepId] ?? 1;
  switch (step.type) {
    case 'send_email':
    case 'send_sms':
      return decideSend(step, visit, context);
    case 'webhook':
      return {
        kind: 'rest',
        until: webhookDeadline(context.now),
        outcome: 'failed',
        effects: [{ kind: 'webhook', stepId, visit }],
      };
    case 'delay':
      return step.config.value > 0
        ? { kind: 'rest', until: momentAfter(context.now, step.config), outcome: 'default' }
        : { kind: 'leave', branch: 'default' };
    case 'wait_until':
      return decideWaitUntil(step.config, run, visit, context);
    case 'wait_for_event':
      return {
        kind: 'rest',
        until: momentAfter(context.now, step.config.timeout ?? DEFAULT_TIMEOUT),
        outcome: 'timeout',
        awaits: step.config.event_type,
      };
    case 'branch':
      return { kind: 'leave', branch: decideBranch(step.config, run, context) };
    case 'split':
      return {
        kind: 'leave',
        branch: pickVariant(step.config.variants, { flowId: run.flowId, stepId }, run.contactId),
      };
    case 'goal':
      // A run that arrives here through the steps has not reached the goal.
      return { kind: 'leave', branch: 'default' };
    case 'exit':
      return { kind: 'exit', reason: step.config.reason ?? 'exit' };
    default:
      return decideAction(step, run, visit);
  }
}

/** Quiet hours delay the run, not the message: a contact who orders overnight exits and gets none. */
function decideSend(step: Step & { type: 'send_email' | 'send_sms' }, visit: number, context: StepContext): Decision {
  const transactional = step.config.transactional ?? false;
  if (context.quietHours !== null && !transactional) {
    const until = quietUntil(context.quietHours, zoneFor(context.quietHours.timezone, context), context.now);
    if (until !== null) return { kind: 'rest', until, outcome: null };
  }
  const channel = step.type === 'send_email' ? 'email' : 'sms';
  return {
    kind: 'leave',
    branch: 'default',
    effects: [{ kind: 'message', stepId: step.step_id, visit, channel, transactional }],
  };
}

function decideWaitUntil(config: Config<'wait_until'>, run: Run, visit: number, context: StepContext): Decision {
  const zone = zoneFor(config.timezone, context);
  if (config.date_field === undefined) {
    // A run that returns here on a loop waits for the next occurrence, not the current one.
    const until = nextClockTime(config, zone, context.now, visit > 1);
    return until > context.now
      ? { kind: 'rest', until, outcome: 'default' }
      : { kind: 'leave', branch: 'default', detail: 'at the time' };
  }
  const [value] = valuesOf(config.date_field, ruleScope(run, context.contact));
  const moment = config.yearly
    ? nextAnniversary(value, config, zone, context.now, visit > 1)
    : dateFieldMoment(value, config, zone);
  if (moment === null) return { kind: 'leave', branch: 'default', detail: `no date in ${config.date_field}` };
  return moment > context.now
    ? { kind: 'rest', until: moment, outcome: 'default' }
    : { kind: 'leave', branch: 'default', detail: 'date passed' };
}

function decideBranch({ paths }: Config<'branch'>, run: Run, context: StepContext): string {
  const scope = branchScope(paths, run, context);
  return paths.find(({ conditions }) => evaluateRules(conditions as RuleGroup, scope, context.now))?.key ?? 'else';
}

/** Every path of a branch step with each of its rules, evaluated as for the decision. */
export function explainBranch({ paths }: Config<'branch'>, run: Run, context: StepContext): ExplainedPath[] {
  const scope = branchScope(paths, run, context);
  return paths.map(({ key, conditions }) => ({
    key,
    holds: evaluateRules(conditions as RuleGroup, scope, context.now),
    rules: explainRules(conditions as RuleGroup, scope, context.now),
  }));
}

export interface ExplainedPath {
  key: string;
  holds: boolean;
  rules: Finding[];
}

/** Requests the facts of all paths at once, so that they are loaded in one statement. */
function branchScope(paths: Config<'branch'>['paths'], run: Run, context: StepContext): RuleScope {
  for (const { conditions } of paths) context.facts?.require(context.contact.contact_id, conditions as RuleGroup);
  return ruleScope(run, context.contact, context.facts);
}

function zoneFor(configured: string | undefined, { contact, zone }: StepContext): string {
  if (configured !== undefined && configured !== 'contact') return configured;
  const own = contact.properties.timezone ?? contact.properties.time_zone;
  return typeof own === 'string' && isZone(own) ? own : (contact.time_zone ?? zone);
}

/** Maximum length of a chain of flows that start each other, directly or through events. */
export const MAX_HOPS = 10;
/** Decides steps that cause one effect and are left at once. */
function decideAction(
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
      // Whether the contact joins depends on the list, so the contact is read again for the next step.
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

/** The fields to change; a configuration may contain others. */
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
