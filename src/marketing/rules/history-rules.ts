import { isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import { isLookedUp } from './fields.ts';

const rulesByGroup = new WeakMap<RuleGroup, Rule[]>();
const keyByRule = new WeakMap<Rule, string>();

/** The rules of a group on an event and its contact that use histories. */
export function historyRulesOf(group: RuleGroup): Rule[] {
  let rules = rulesByGroup.get(group);
  if (rules === undefined) {
    rules = group.rules.flatMap((rule) =>
      isGroup(rule) ? historyRulesOf(rule) : isLookedUp(rule.field) ? [rule] : [],
    );
    rulesByGroup.set(group, rules);
  }
  return rules;
}

/** A key that is the same for equal rules. */
export function keyOf(rule: Rule): string {
  let key = keyByRule.get(rule);
  if (key === undefined) {
    const { field, comparison, value, within_days, where } = rule;
    key = JSON.stringify([field, comparison, value ?? null, within_days ?? null, where ?? null]);
    keyByRule.set(rule, key);
  }
  return key;
}
