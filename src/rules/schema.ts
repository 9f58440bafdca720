import Type from 'typebox';
import { COMPARISONS, MAX_DEPTH, MAX_RULES, type RuleGroup } from './language.ts';

const Operator = { type: 'string', enum: ['and', 'or'], description: '`and` where absent' };

const rulesWith = (description: string, properties: object) => ({
  type: 'array',
  maxItems: MAX_RULES,
  description,
  items: { type: 'object', properties, additionalProperties: true },
});

/** Has no types where the checks of rules accept several: they report errors in the terms of rules. */
const PLAIN = {
  field: { type: 'string', description: 'A dotted path' },
  comparison: { type: 'string', description: COMPARISONS.join(', '), examples: ['equals'] },
  value: { description: 'An array for `in`, `not_in` and `between`; none for `exists` and `not_exists`' },
};

/** A group whose rules contain only a field, a comparison and a value. */
export function plainGroup(description: string) {
  return {
    type: 'object',
    description,
    properties: { operator: Operator, rules: rulesWith('Rules on the data of the event', PLAIN) },
    additionalProperties: true,
  };
}

/** The shape of rules, as far as a schema can check it; `checkTree` checks the rest. `more` are further members of a rule. */
export function ruleTree(more: object) {
  return Type.Unsafe<RuleGroup>({
    type: 'object',
    required: ['rules'],
    properties: {
      operator: Operator,
      rules: rulesWith(
        `Rules {field, comparison, value}, or groups like this one: ${MAX_DEPTH} levels and ${MAX_RULES} rules at most. Comparisons: ${COMPARISONS.join(', ')}.`,
        {
          ...PLAIN,
          ...more,
          operator: { ...Operator, description: 'Of a group' },
          rules: { description: 'Of a group' },
        },
      ),
    },
    additionalProperties: true,
  });
}
