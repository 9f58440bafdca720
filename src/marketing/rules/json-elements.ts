import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { Rule } from '../../rules/language.ts';
import { NEVER } from '../../rules/predicates.ts';
import { equalityOperand, orderOperand, textOperand, textsOfNumber, toMoment, toNumber } from '../../rules/values.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * A positive comparison with any element of a jsonb array; null counts as false. Nested arrays are not compared. It needs no
 * sub-select, see rule_numbers in db/migrations.
 */
export function elementsSql(rule: Rule, elements: Statement, now: Date): Statement {
  const { comparison, value: wanted } = rule;
  switch (comparison) {
    case 'exists':
      return sql`jsonb_path_exists(${elements}, 'strict $[*] ? (@ != null)', '{}', true)`;
    case 'equals':
      return anyEqual(elements, [wanted]);
    case 'in':
      return anyEqual(elements, wanted as unknown[]);
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return sql`rule_any_text(${elements}, ${comparison}::text, ${textOperand(wanted)!}::text)`;
    case 'before':
      return anyWithin('moments', elements, null, toMoment(wanted)!, '[)');
    case 'after':
      return anyWithin('moments', elements, toMoment(wanted)!, null, '(]');
    case 'within_last_days': {
      const since = now.getTime() - toNumber(wanted)! * DAY_MS;
      return anyWithin('moments', elements, since, now.getTime(), '[]');
    }
    default:
      return anyOrdered(rule, elements);
  }
}

/** Matches only the array's own elements, not nested ones, just as `?|` and `@>` treat the outermost array. */
export function anyEqual(elements: Statement, wanted: unknown[]): Statement {
  const operands = wanted.map((choice) => equalityOperand(choice)!.value);
  const texts = operands.flatMap((value) => (typeof value === 'number' ? textsOfNumber(value) : [String(value)]));
  const scalars = operands.flatMap((value) => {
    if (typeof value === 'number') return [JSON.stringify(value)];
    // Booleans equal their texts.
    return value === 'true' || value === 'false' ? [value] : [];
  });
  const tests = [
    ...(texts.length > 0 ? [sql`jsonb_exists_any(${elements}, ${texts}::text[])`] : []),
    ...(scalars.length > 0 ? [sql`${elements} @> any(${scalars}::text[]::jsonb[])`] : []),
  ];
  return sql`(${joinSql(tests, ' or ')})`;
}

function anyOrdered({ comparison, value }: Rule, elements: Statement): Statement {
  const [low, high] = (Array.isArray(value) ? value : [value]).map((limit) => orderOperand(limit)!);
  const readAs = low!.kind === 'number' ? 'numbers' : 'moments';
  const limit = low!.value as number;
  switch (comparison) {
    case 'greater_than':
      return anyWithin(readAs, elements, limit, null, '(]');
    case 'greater_than_or_equal':
      return anyWithin(readAs, elements, limit, null, '[]');
    case 'less_than':
      return anyWithin(readAs, elements, null, limit, '[)');
    case 'less_than_or_equal':
      return anyWithin(readAs, elements, null, limit, '[]');
    case 'between':
      return anyWithin(readAs, elements, limit, high!.value as number, '[]');
    default:
      throw new Error(`${comparison} is no positive comparison`);
  }
}

/** Uses a range, so that both bounds apply to the same element. */
function anyWithin(
  readAs: 'numbers' | 'moments',
  elements: Statement,
  low: number | null,
  high: number | null,
  bounds: '[]' | '[)' | '(]',
): Statement {
  if (low !== null && high !== null && low > high) return NEVER;
  return sql`numrange(${low}::numeric, ${high}::numeric, ${rawSql(`'${bounds}'`)})
    @> any(${rawSql(readAs === 'numbers' ? 'rule_numbers' : 'rule_moments')}(${elements}))`;
}
