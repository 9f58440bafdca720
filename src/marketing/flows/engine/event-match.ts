import { evaluateRules, type RuleScope, valuesOf } from '../../rules/evaluate.ts';
import type { Facts } from '../../rules/facts.ts';
import type { EventMatch } from '../definition/schemas.ts';
import type { Run, RunContact, Signal, StepContext } from './run.ts';

/** The values available to rules: the data of the run's event, the responses of its webhooks, and the contact. */
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

/** Whether the event satisfies the match. */
export function isMatch(
  match: EventMatch,
  signal: Signal & { kind: 'event' },
  run: Run,
  { contact, now, facts }: Pick<StepContext, 'contact' | 'now' | 'facts'>,
): boolean {
  if (match.event_type !== signal.event_type) return false;
  if (match.same?.some((path) => !isSame(path, signal.data, run.event?.data ?? {}))) return false;
  if (match.conditions === undefined) return true;
  facts?.require(contact.contact_id, match.conditions);
  return evaluateRules(match.conditions, scopeOf(signal.data, contact, facts), now);
}

/** Whether both have the same single value at the path. Ids are compared as texts: one may be a number. */
function isSame(path: string, data: object, other: object): boolean {
  const [one, two] = [data, other].map((event) => valuesOf(path, { event, contact: null }));
  return one!.length === 1 && two!.length === 1 && String(one![0]) === String(two![0]);
}
