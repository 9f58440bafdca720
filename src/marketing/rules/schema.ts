import Type from 'typebox';
import { COMPARISONS, MAX_DEPTH, MAX_RULES, type RuleGroup } from './language.ts';

const Operator = { type: 'string', enum: ['and', 'or'], description: '`and` where absent' };

const rulesWith = (description: string, properties: object) => ({
  type: 'array',
  maxItems: MAX_RULES,
  description,
  items: { type: 'object', properties, additionalProperties: true },
});

/** Has no types where `checkRules` accepts several: it reports errors in the terms of rules. */
const PLAIN = {
  field: { type: 'string', description: 'A dotted path' },
  comparison: { type: 'string', description: COMPARISONS.join(', '), examples: ['equals'] },
  value: { description: 'An array for `in`, `not_in` and `between`; none for `exists` and `not_exists`' },
};

const Where = {
  type: 'object',
  description:
    'With `events.…` and `purchases.…`: only events whose data are so, in rules {field, comparison, value} or groups of such. Fields are paths in the data; over an array any element counts.',
  properties: { operator: Operator, rules: rulesWith('Rules on the data of the event', PLAIN) },
  additionalProperties: true,
};

/** The shape of rules, as far as a schema can check it; `checkRules` checks the rest. */
export const RuleTree = Type.Unsafe<RuleGroup>({
  type: 'object',
  required: ['rules'],
  properties: {
    operator: Operator,
    rules: rulesWith(
      `Rules {field, comparison, value}, or groups like this one: ${MAX_DEPTH} levels and ${MAX_RULES} rules at most. Comparisons: ${COMPARISONS.join(', ')}.`,
      {
        ...PLAIN,
        within_days: { description: 'With counts and amounts: what happened in the last so many days; a number' },
        where: Where,
        operator: { ...Operator, description: 'Of a group' },
        rules: { description: 'Of a group' },
      },
    ),
  },
  additionalProperties: true,
});

/** The history fields of rules, for the descriptions of endpoints. */
export const HISTORY_FIELDS =
  '`events.TYPE`, `purchases` (of `order_placed`) and `messages.received`, `messages.opened`, `messages.clicked`, each with `.count`, `.first_at`, `.last_at`, `.days_since_first` and `.days_since_last`; of purchases also `.total`, `.days_between`, `.next_expected_at`, `.days_until_next` (by the mean time between orders) and `.rfm.recency`, `.rfm.frequency`, `.rfm.monetary` (1 to 5), `.rfm.class`';
