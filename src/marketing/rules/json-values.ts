import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { type Comparison, DENIES, isGroup, type Rule, type RuleGroup } from './language.ts';
import { jsonPredicateSql } from './predicates.ts';
import { equalityOperand, orderOperand } from './values.ts';

/** Rules on JSON in the database: the properties of contacts, the data of events. */

/** The rules as a condition on `object`, a jsonb object; null counts as false. */
export function jsonGroupSql(object: Statement, group: RuleGroup, now: Date): Statement {
  if (group.rules.length === 0) return rawSql('true');
  const parts = group.rules.map((rule) => {
    if (isGroup(rule)) return jsonGroupSql(object, rule, now);
    const denied = DENIES[rule.comparison];
    const positive: Rule = { ...rule, comparison: denied ?? rule.comparison };
    const holds = jsonRuleSql(object, rule.field.split('.'), positive, now);
    return denied === undefined ? holds : sql`(${holds}) is not true`;
  });
  return sql`(${joinSql(parts, group.operator === 'or' ? ' or ' : ' and ')})`;
}

/** A positive comparison of what `object` holds at the path. */
export function jsonRuleSql(object: Statement, path: string[], rule: Rule, now: Date): Statement {
  const element = jsonPredicateSql(rule, rawSql('element'), rawSql("(element #>> '{}')"), now);
  const [name, ...deeper] = path;
  if (deeper.length > 0) {
    // Lax: each step goes into the elements of an array, as `valuesOf` does.
    const steps = path.map((step) => `.${JSON.stringify(step)}`).join('');
    const texts = textChoices(rule);
    if (texts !== null) {
      // `jsonb_exists_any` knows the array's own texts only, not those of arrays in it.
      return sql`jsonb_exists_any(jsonb_path_query_array(${object}, ${`$${steps}[*]`}::jsonpath), ${texts}::text[])`;
    }
    return sql`exists (
      select 1 from jsonb_path_query(${object}, ${`$${steps}[*]`}::jsonpath) element where ${element})`;
  }
  // The usual case, a plain value, without a sub-select for each row.
  const value = sql`(${object} -> ${name}::text)`;
  const elements = sql`exists (select 1 from jsonb_array_elements(${value}) element where ${element})`;
  const holds = jsonPredicateSql(rule, value, sql`(${object} ->> ${name}::text)`, now, elements);
  const number = numberTest(rule);
  if (number === null) return holds;
  const asked = (test: string): Statement =>
    sql`jsonb_path_exists(${object}, ${`strict $.${JSON.stringify(name)} ? (${test})`}::jsonpath, ${number.limits}::jsonb, true)`;
  return sql`case when ${asked(number.holds)} then true when ${asked(number.fails)} then false else ${holds} end`;
}

/** Where only texts can be equal to what is wanted: that takes a third of the time. */
function textChoices({ comparison, value }: Rule): string[] | null {
  if (comparison !== 'equals' && comparison !== 'in') return null;
  const operands = (Array.isArray(value) ? value : [value]).map(equalityOperand);
  // Truth values are equal to their texts.
  const isText = operands.every((one) => one?.kind === 'text' && one.value !== 'true' && one.value !== 'false');
  return isText ? operands.map((one) => String(one!.value)) : null;
}

/**
 * Tests of the path language for a comparison of order with a number, of which one is true of every number and none of any
 * other value. They take half the time of taking the value out, reading its type and casting it.
 */
function numberTest({ comparison, value }: Rule): { holds: string; fails: string; limits: object } | null {
  const limits = (Array.isArray(value) ? value : [value]).map(orderOperand);
  if (limits.some((limit) => limit?.kind !== 'number')) return null;
  const [low, high] = limits.map((limit) => limit!.value);
  if (comparison === 'between') {
    return { holds: '@ >= $low && @ <= $high', fails: '@ < $low || @ > $high', limits: { low, high } };
  }
  const order = NUMBER_ORDERS[comparison];
  return order === undefined ? null : { holds: `@ ${order[0]} $low`, fails: `@ ${order[1]} $low`, limits: { low } };
}

/** Each with its opposite. */
const NUMBER_ORDERS: Partial<Record<Comparison, [string, string]>> = {
  greater_than: ['>', '<='],
  greater_than_or_equal: ['>=', '<'],
  less_than: ['<', '>='],
  less_than_or_equal: ['<=', '>'],
};
