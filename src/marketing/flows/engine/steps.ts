import { evaluateRules, valuesOf } from '../../rules/evaluate.ts';
import type { RuleGroup } from '../../rules/language.ts';
import type { Config, Step } from '../definition/steps.ts';
import { decideDeed } from './action-steps.ts';
import type { Decision, Surroundings } from './decision.ts';
import { ruleScope } from './event-match.ts';
import type { Run } from './run.ts';
import { dateFieldMoment, isZone, momentAfter, nextClockTime, quietUntil } from './schedule.ts';
import { pickVariant } from './split.ts';

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

function zoneFor(configured: string | undefined, { contact, zone }: Surroundings): string {
  if (configured !== undefined && configured !== 'contact') return configured;
  const own = contact.properties.timezone ?? contact.properties.time_zone;
  return typeof own === 'string' && isZone(own) ? own : zone;
}
