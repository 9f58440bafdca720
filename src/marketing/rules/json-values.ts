import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { type Comparison, DENIES, isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import { jsonPredicateSql } from '../../rules/predicates.ts';
import { equalityOperand, orderOperand } from '../../rules/values.ts';
import { anyEqual, elementsSql } from './json-elements.ts';

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

/** A positive comparison of the value of `object` at the path. */
export function jsonRuleSql(object: Statement, path: string[], rule: Rule, now: Date): Statement {
  const [name, ...deeper] = path;
  if (deeper.length > 0) return deepRuleSql(object, path, rule, now);
  // The common case: a top-level value.
  const value = sql`(${object} -> ${name}::text)`;
  const texts = textChoices(rule);
  if (texts !== null) {
    // Matches a text itself, the texts of an array, and the keys of an object.
    return sql`(jsonb_exists_any(${value}, ${texts}::text[]) and jsonb_typeof(${value}) <> 'object')`;
  }
  const elements = elementsSql(rule, value, now);
  const holds = jsonPredicateSql(rule, value, sql`(${object} ->> ${name}::text)`, now, elements);
  const test = numberTest(rule, `$.${JSON.stringify(name)}`);
  if (test === null) return holds;
  return sql`coalesce(jsonb_path_match(${object}, ${test.path}::jsonpath, ${test.limits}::jsonb, true), ${holds})`;
}

/** Uses lax mode: each step unwraps an array, as in `valuesOf`. */
function deepRuleSql(object: Statement, path: string[], rule: Rule, now: Date): Statement {
  const steps = path.map((step) => `.${JSON.stringify(step)}`).join('');
  const { comparison, value: wanted } = rule;
  if (comparison === 'equals' || comparison === 'in') {
    const elements = sql`jsonb_path_query_array(${object}, ${`$${steps}[*]`}::jsonpath)`;
    return anyEqual(elements, comparison === 'in' ? (wanted as unknown[]) : [wanted]);
  }
  const element = jsonPredicateSql(rule, rawSql('element'), rawSql("(element #>> '{}')"), now);
  return sql`exists (
    select 1 from jsonb_path_query(${object}, ${`$${steps}[*]`}::jsonpath) element where ${element})`;
}

/** The operands if only texts can equal them, which takes a third of the time; otherwise null. */
function textChoices({ comparison, value }: Rule): string[] | null {
  if (comparison !== 'equals' && comparison !== 'in') return null;
  const operands = (Array.isArray(value) ? value : [value]).map(equalityOperand);
  // Booleans equal their texts.
  const isText = operands.every((one) => one?.kind === 'text' && one.value !== 'true' && one.value !== 'false');
  return isText ? operands.map((one) => String(one!.value)) : null;
}

/**
 * A JSON path predicate for an ordering comparison with a number: true or false for numbers, unknown or false for other
 * values. It takes half the time of extracting the value, reading its type and casting it.
 */
function numberTest({ comparison, value }: Rule, at: string): { path: string; limits: object } | null {
  const limits = (Array.isArray(value) ? value : [value]).map(orderOperand);
  if (limits.some((limit) => limit?.kind !== 'number')) return null;
  const [low, high] = limits.map((limit) => limit!.value);
  if (comparison === 'between') return { path: `strict ${at} >= $low && ${at} <= $high`, limits: { low, high } };
  const order = NUMBER_ORDERS[comparison];
  return order === undefined ? null : { path: `strict ${at} ${order} $low`, limits: { low } };
}

const NUMBER_ORDERS: Partial<Record<Comparison, string>> = {
  greater_than: '>',
  greater_than_or_equal: '>=',
  less_than: '<',
  less_than_or_equal: '<=',
};
