import { type Comparison, DENIES, isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import { equalityOperand, orderOperand, readAs, textOperand, toMoment, toNumber } from '../../rules/values.ts';
import { isLookedUp } from './fields.ts';

export interface RuleScope {
  /** The event's data. */
  event: object | null;
  /** The contact's record, as contacts/service.ts loads it. */
  contact: object | null;
  /** Whether the contact's history satisfies a rule (see facts.ts). Required only if rules may use histories. */
  history?: (rule: Rule) => boolean;
}

const DAY_MS = 24 * 3_600_000;

/** Whether the rules hold. They must have passed `checkRules`. */
export function evaluateRules(group: RuleGroup, scope: RuleScope, now: Date): boolean {
  if (group.rules.length === 0) return true;
  const holds = (rule: Rule | RuleGroup): boolean =>
    isGroup(rule) ? evaluateRules(rule, scope, now) : evaluateRule(rule, scope, now);
  return group.operator === 'or' ? group.rules.some(holds) : group.rules.every(holds);
}

/** One rule of a tree, with the values found at its field; null if it concerns the contact's history. */
export interface Finding {
  field: string;
  comparison: string;
  value: unknown;
  found: unknown[] | null;
  holds: boolean;
}

/** Evaluates every rule of a tree separately, in reading order, like `evaluateRules`. */
export function explainRules(group: RuleGroup, scope: RuleScope, now: Date): Finding[] {
  return group.rules.flatMap((rule): Finding[] => {
    if (isGroup(rule)) return explainRules(rule, scope, now);
    const { field, comparison, value = null } = rule;
    const found = isLookedUp(field) ? null : valuesOf(field, scope);
    return [{ field, comparison, value, found, holds: evaluateRule(rule, scope, now) }];
  });
}

function evaluateRule(rule: Rule, scope: RuleScope, now: Date): boolean {
  if (isLookedUp(rule.field)) {
    if (scope.history === undefined) throw new Error(`${rule.field} is asked where no history is known`);
    return scope.history(rule);
  }
  const values = valuesOf(rule.field, scope);
  const denied = DENIES[rule.comparison];
  const holds = compilePredicate(denied ?? rule.comparison, rule.value, now);
  return values.some(holds) !== (denied !== undefined);
}

/** The values at the field: none, one, or the elements of arrays on the path. Null counts as missing. */
export function valuesOf(field: string, scope: RuleScope): unknown[] {
  if (!field.startsWith('contact.')) return valuesAt(scope.event, field.split('.'));
  const path = field.split('.').slice(1);
  return path[0] === 'list_ids' ? activeLists(scope.contact) : valuesAt(scope.contact, path);
}

function activeLists(contact: object | null): unknown[] {
  const { lists = [] } = (contact ?? {}) as { lists?: { list_id: number; status: string }[] };
  return lists.filter((membership) => membership.status === 'active').map((membership) => membership.list_id);
}

/** Follows the lax mode of SQL/JSON paths: each step unwraps an array, one level deep. */
function valuesAt(root: unknown, path: string[]): unknown[] {
  let found: unknown[] = [root];
  for (const name of path) {
    found = found
      .flatMap(elementsOf)
      .filter(isRecord)
      .filter((value) => Object.hasOwn(value, name))
      .map((value) => value[name]);
  }
  return found.flatMap(elementsOf).filter((value) => value !== null && value !== undefined);
}

function elementsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Predicate = (value: unknown) => boolean;

const NEVER: Predicate = () => false;

/** The predicate of a positive comparison on one value. */
function compilePredicate(comparison: Comparison, wanted: unknown, now: Date): Predicate {
  switch (comparison) {
    case 'exists':
      return () => true;
    case 'equals':
      return equalTo(wanted);
    case 'in': {
      const choices = (Array.isArray(wanted) ? wanted : []).map(equalTo);
      return (value) => choices.some((choice) => choice(value));
    }
    case 'contains':
      return textual(wanted, (text, part) => text.includes(part));
    case 'starts_with':
      return textual(wanted, (text, part) => text.startsWith(part));
    case 'ends_with':
      return textual(wanted, (text, part) => text.endsWith(part));
    case 'greater_than':
      return ordered(wanted, (value, limit) => value > limit);
    case 'greater_than_or_equal':
      return ordered(wanted, (value, limit) => value >= limit);
    case 'less_than':
      return ordered(wanted, (value, limit) => value < limit);
    case 'less_than_or_equal':
      return ordered(wanted, (value, limit) => value <= limit);
    case 'between': {
      const [low, high] = Array.isArray(wanted) ? wanted : [];
      const above = ordered(low, (value, limit) => value >= limit);
      const below = ordered(high, (value, limit) => value <= limit);
      return (value) => above(value) && below(value);
    }
    case 'before':
      return moment(toMoment(wanted), (value, limit) => value < limit);
    case 'after':
      return moment(toMoment(wanted), (value, limit) => value > limit);
    case 'within_last_days': {
      const days = toNumber(wanted);
      const since = days === null ? null : now.getTime() - days * DAY_MS;
      return moment(since, (value, limit) => value >= limit && value <= now.getTime());
    }
    default:
      return NEVER;
  }
}

function equalTo(wanted: unknown): Predicate {
  const operand = equalityOperand(wanted);
  return operand === null ? NEVER : (value) => readAs(operand.kind, value) === operand.value;
}

function textual(wanted: unknown, holds: (text: string, part: string) => boolean): Predicate {
  const part = textOperand(wanted);
  return part === null ? NEVER : (value) => typeof value === 'string' && holds(value, part);
}

function ordered(wanted: unknown, holds: (value: number, limit: number) => boolean): Predicate {
  const operand = orderOperand(wanted);
  if (operand === null) return NEVER;
  return (value) => {
    const read = readAs(operand.kind, value);
    return typeof read === 'number' && holds(read, operand.value as number);
  };
}

function moment(limit: number | null, holds: (value: number, limit: number) => boolean): Predicate {
  if (limit === null) return NEVER;
  return (value) => {
    const read = toMoment(value);
    return read !== null && holds(read, limit);
  };
}
