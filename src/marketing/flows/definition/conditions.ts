import { MAX_DEPTH, type RuleGroup } from '../../rules/language.ts';
import type { Definition } from './definition.ts';
import type { DraftStep } from './steps.ts';

export interface NamedConditions {
  path: string;
  conditions: RuleGroup;
}

/** All rule groups of a definition. Skips values of another shape: a draft may not have been checked yet. */
export function conditionsOf({ trigger_conditions, exit_on, goal, steps }: Definition): NamedConditions[] {
  const found: [string, unknown][] = [
    ['trigger_conditions', trigger_conditions],
    ...exit_on.map((match, i): [string, unknown] => [`exit_on.${i}.conditions`, match.conditions]),
    ['goal.conditions', goal?.conditions],
    ...steps.flatMap(ofStep),
  ];
  return found.flatMap(([path, conditions]) => (isRuleGroup(conditions) ? [{ path, conditions }] : []));
}

function ofStep({ type, config = {} }: DraftStep, i: number): [string, unknown][] {
  const at = `steps.${i}.config`;
  if (type !== 'branch') return [[`${at}.conditions`, config.conditions]];
  const paths = Array.isArray(config.paths) ? config.paths : [];
  return paths.map((path: { conditions?: unknown } | null, n) => [`${at}.paths.${n}.conditions`, path?.conditions]);
}

function isRuleGroup(value: unknown, depth = 1): value is RuleGroup {
  const rules = (value as { rules?: unknown } | null | undefined)?.rules;
  return (
    depth <= MAX_DEPTH &&
    Array.isArray(rules) &&
    rules.every((rule: unknown) => {
      if (typeof rule !== 'object' || rule === null) return false;
      return Object.hasOwn(rule, 'rules')
        ? isRuleGroup(rule, depth + 1)
        : typeof (rule as { field?: unknown }).field === 'string';
    })
  );
}
