import { joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { type Compiling, fromSql, type Selection, selectCounted } from './counted.ts';
import { type ContactField, parseContactField } from './fields.ts';
import { type Comparison, DENIES, isGroup, type Rule, type RuleGroup } from './language.ts';
import { jsonPredicateSql, predicateSql, type Reading, textReading } from './predicates.ts';
import { equalityOperand, orderOperand } from './values.ts';

/**
 * The rules of a segment (checked, see `checkRules`) as a boolean SQL expression over the alias `c` of contacts; null
 * counts as false. It picks the same contacts as `evaluateRules`.
 */
export function compileToSql(compiling: Compiling, rules: RuleGroup): Statement {
  return unprepared(compileGroup(compiling, rules));
}

function compileGroup(compiling: Compiling, group: RuleGroup): Statement {
  if (group.rules.length === 0) return rawSql('true');
  const parts = group.rules.map((rule) =>
    isGroup(rule) ? compileGroup(compiling, rule) : compileRule(compiling, rule),
  );
  return sql`(${joinSql(parts, group.operator === 'or' ? ' or ' : ' and ')})`;
}

function compileRule(compiling: Compiling, rule: Rule): Statement {
  const field = parseContactField(rule.field, true);
  if (field === null) throw new Error(`There is no field ${rule.field} of a contact`);
  if (field.kind === 'count' || field.kind === 'total') {
    const { ids, denied } = selectCounted(compiling, field, rule);
    return denied ? sql`not ${isAmong(ids)}` : isAmong(ids);
  }
  const denied = DENIES[rule.comparison];
  const positive: Rule = { ...rule, comparison: denied ?? rule.comparison };
  const holds =
    field.kind === 'lists' ? isAmong(selectListed(compiling, positive)) : compileOwn(field, positive, compiling.now);
  return denied === undefined ? holds : sql`(${holds}) is not true`;
}

/**
 * Whether the contact is among those that the statement selects. By way of an array the ids are always looked up in a hash
 * table that is filled once, under `or` too, however wrong the planner's estimates are; a plain sub-select it may run
 * anew for every contact. The CTE keeps parallel workers out, of whom each would fill the table for itself.
 */
function isAmong(contactIds: Statement): Statement {
  return sql`(c.id in (
    with chosen (id) as materialized (${contactIds}) select unnest(array(select id from chosen)))) is true`;
}

/**
 * The number of contacts that the rules pick, as a whole statement: `n`. Of rules that must all hold, the contacts of one
 * that looks at events or lists are walked by the index on their ids, which takes a third of the time of looking every
 * contact up among them; where there are only negatives, those of one are taken off the others. Of rules of which any
 * will do, those are counted apart that other rules pick.
 */
export function compileCount(compiling: Compiling, rules: RuleGroup): Statement {
  const { companyId } = compiling;
  const conjuncts = conjunctsOf(rules);
  const [only] = conjuncts;
  const either = only !== undefined && conjuncts.length === 1 && isGroup(only) ? countEither(compiling, only) : null;
  if (either !== null) return unprepared(either);
  const compiled = conjuncts.map((rule) => (isGroup(rule) ? null : selectionOf(compiling, rule)));
  const positive = compiled.findIndex((selection) => selection !== null && !selection.denied);
  const driving = positive >= 0 ? positive : compiled.findIndex((selection) => selection !== null);
  const selection = driving >= 0 ? compiled[driving]! : null;
  const others = conjuncts.filter((_, i) => i !== driving);
  const rest = compileGroup(compiling, { rules: others });
  const all = sql`select count(*) as n from contacts c where c.company_id = ${companyId} and ${rest}`;
  if (selection === null) return unprepared(all);
  const among = countAmong(companyId, selection.ids, rest);
  return unprepared(selection.denied ? sql`select (${all}) - (${among}) as n` : among);
}

/** Alone with the ids, so that no other condition makes the planner go through the array for every contact. */
function countAmong(companyId: number, ids: Statement, rest: Statement): Statement {
  return sql`
    select count(*) as n
    from (
      select c.* from contacts c where c.company_id = ${companyId} and c.id = any(array(${ids})) offset 0
    ) c where ${rest}`;
}

/**
 * Of a group of which any rule will do: whom the rules about the contact itself pick, and of those whom the others pick
 * all that these do not. Null where it has no such two sorts of rules, or a negative of the second sort.
 */
function countEither(compiling: Compiling, { rules }: RuleGroup): Statement | null {
  const { companyId } = compiling;
  const selections: Selection[] = [];
  const own: Rule[] = [];
  for (const rule of rules) {
    if (isGroup(rule)) return null;
    const selection = selectionOf(compiling, rule);
    if (selection === null) own.push(rule);
    else if (selection.denied) return null;
    else selections.push(selection);
  }
  if (selections.length === 0 || own.length === 0) return null;
  const picked = compileGroup(compiling, { operator: 'or', rules: own });
  const ids = joinSql(
    selections.map((selection) => sql`(${selection.ids})`),
    ' union all ',
  );
  const all = sql`select count(*) as n from contacts c where c.company_id = ${companyId} and ${picked}`;
  return sql`select (${all}) + (${countAmong(companyId, ids, sql`(${picked}) is not true`)}) as n`;
}

/** What must hold all together. */
function conjunctsOf(group: RuleGroup): (Rule | RuleGroup)[] {
  if (group.operator === 'or' && group.rules.length > 1) return [group];
  return group.rules.flatMap((rule) => (isGroup(rule) ? conjunctsOf(rule) : [rule]));
}

/** null for a rule about the contact's own row. */
function selectionOf(compiling: Compiling, rule: Rule): Selection | null {
  const field = parseContactField(rule.field, true);
  if (field?.kind === 'count' || field?.kind === 'total') return selectCounted(compiling, field, rule);
  if (field?.kind !== 'lists') return null;
  const denied = DENIES[rule.comparison];
  return {
    ids: selectListed(compiling, { ...rule, comparison: denied ?? rule.comparison }),
    denied: denied !== undefined,
  };
}

function selectListed({ companyId, now, from }: Compiling, rule: Rule): Statement {
  return sql`
    select m.contact_id from list_memberships m
    join lists l on l.company_id = m.company_id and l.id = m.list_id and l.deleted_at is null
    where m.company_id = ${companyId} and m.status = 'active' and ${predicateSql(rule, LIST_ID, now)}
      ${fromSql(from)}`;
}

const LIST_ID: Reading = idReading('m.list_id');
const TAG: Reading = textReading(rawSql('tag'));
const CONTACT_ID: Reading = idReading('c.id');

/** A positive comparison of what stands in the contact's own row. */
function compileOwn(
  field: Exclude<ContactField, { kind: 'count' | 'total' | 'lists' }>,
  rule: Rule,
  now: Date,
): Statement {
  switch (field.kind) {
    case 'text':
      return predicateSql(rule, textReading(rawSql(`c.${field.column}`)), now);
    case 'time':
      return predicateSql(rule, timeReading(`c.${field.column}`), now);
    case 'id':
      return predicateSql(rule, CONTACT_ID, now);
    case 'tags':
      // The index on tags knows whole ones.
      if (rule.comparison === 'equals' && equalityOperand(rule.value)?.kind === 'text') {
        return sql`c.tags @> array[${String(rule.value)}::text]`;
      }
      return sql`exists (select 1 from unnest(c.tags) tag where ${predicateSql(rule, TAG, now)})`;
    case 'property':
      return compileProperty(field.path, rule, now);
  }
}

function idReading(column: string): Reading {
  return { present: rawSql('true'), number: rawSql(column), whole: rawSql(column) };
}

/** To the second, as the contact's record shows it. */
function timeReading(column: string): Reading {
  const text = rawSql(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`);
  return {
    present: rawSql('true'),
    second: rawSql(column),
    text,
    string: text,
  };
}

function compileProperty(path: string[], rule: Rule, now: Date): Statement {
  const element = jsonPredicateSql(rule, rawSql('element'), rawSql("(element #>> '{}')"), now);
  const [name, ...deeper] = path;
  if (deeper.length > 0) {
    // Lax: each step goes into the elements of an array, as `valuesOf` does.
    const steps = path.map((step) => `.${JSON.stringify(step)}`).join('');
    return sql`exists (
      select 1 from jsonb_path_query(c.properties, ${`$${steps}[*]`}::jsonpath) element where ${element})`;
  }
  // The usual case, a plain value, without a sub-select for each contact.
  const value = sql`(c.properties -> ${name}::text)`;
  const elements = sql`exists (select 1 from jsonb_array_elements(${value}) element where ${element})`;
  const holds = jsonPredicateSql(rule, value, sql`(c.properties ->> ${name}::text)`, now, elements);
  const number = numberTest(rule);
  if (number === null) return holds;
  const asked = (test: string): Statement =>
    sql`jsonb_path_exists(c.properties, ${`strict $.${JSON.stringify(name)} ? (${test})`}::jsonpath, ${number.limits}::jsonb, true)`;
  return sql`case when ${asked(number.holds)} then true when ${asked(number.fails)} then false else ${holds} end`;
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
