import { emptySql, joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { evaluateRules } from './evaluate.ts';
import { type ContactField, parseContactField } from './fields.ts';
import { type Comparison, DENIES, isGroup, type Rule, type RuleGroup } from './language.ts';
import { jsonPredicateSql, predicateSql, type Reading, textReading } from './predicates.ts';
import { equalityOperand, toNumber } from './values.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The rules of a segment (checked, see `checkRules`) as a boolean SQL expression over the alias `c` of contacts; null
 * counts as false. It picks the same contacts as `evaluateRules`.
 */
export function compileToSql(companyId: number, rules: RuleGroup, now: Date): Statement {
  return unprepared(compileGroup(companyId, rules, now));
}

function compileGroup(companyId: number, group: RuleGroup, now: Date): Statement {
  if (group.rules.length === 0) return rawSql('true');
  const parts = group.rules.map((rule) =>
    isGroup(rule) ? compileGroup(companyId, rule, now) : compileRule(companyId, rule, now),
  );
  return sql`(${joinSql(parts, group.operator === 'or' ? ' or ' : ' and ')})`;
}

function compileRule(companyId: number, rule: Rule, now: Date): Statement {
  const field = parseContactField(rule.field, true);
  if (field === null) throw new Error(`There is no field ${rule.field} of a contact`);
  if (field.kind === 'count' || field.kind === 'total') {
    const { ids, denied } = selectCounted(companyId, field, rule, now);
    return denied ? sql`not ${isAmong(ids)}` : isAmong(ids);
  }
  const denied = DENIES[rule.comparison];
  const positive: Rule = { ...rule, comparison: denied ?? rule.comparison };
  const holds =
    field.kind === 'lists' ? isAmong(selectListed(companyId, positive, now)) : compileOwn(field, positive, now);
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
 * contact up among them; where there are only negatives, those of one are taken off the others.
 */
export function compileCount(companyId: number, rules: RuleGroup, now: Date): Statement {
  const conjuncts = conjunctsOf(rules);
  const compiled = conjuncts.map((rule) => (isGroup(rule) ? null : selectionOf(companyId, rule, now)));
  const positive = compiled.findIndex((selection) => selection !== null && !selection.denied);
  const driving = positive >= 0 ? positive : compiled.findIndex((selection) => selection !== null);
  const selection = driving >= 0 ? compiled[driving]! : null;
  const others = conjuncts.filter((_, i) => i !== driving);
  const rest = compileGroup(companyId, { rules: others }, now);
  const all = sql`select count(*) as n from contacts c where c.company_id = ${companyId} and ${rest}`;
  if (selection === null) return unprepared(all);
  // Alone with the ids, so that no other condition makes the planner go through the array for every contact.
  const among = sql`
    select count(*) as n
    from (
      select c.* from contacts c where c.company_id = ${companyId} and c.id = any(array(${selection.ids})) offset 0
    ) c where ${rest}`;
  return unprepared(selection.denied ? sql`select (${all}) - (${among}) as n` : among);
}

/** What must hold all together. */
function conjunctsOf(group: RuleGroup): (Rule | RuleGroup)[] {
  if (group.operator === 'or' && group.rules.length > 1) return [group];
  return group.rules.flatMap((rule) => (isGroup(rule) ? conjunctsOf(rule) : [rule]));
}

/** The contacts of a rule that looks at events or lists: those whose ids are selected, or with `denied` all others. */
interface Selection {
  ids: Statement;
  denied: boolean;
}

/** null for a rule about the contact's own row. */
function selectionOf(companyId: number, rule: Rule, now: Date): Selection | null {
  const field = parseContactField(rule.field, true);
  if (field?.kind === 'count' || field?.kind === 'total') return selectCounted(companyId, field, rule, now);
  if (field?.kind !== 'lists') return null;
  const denied = DENIES[rule.comparison];
  return {
    ids: selectListed(companyId, { ...rule, comparison: denied ?? rule.comparison }, now),
    denied: denied !== undefined,
  };
}

function selectListed(companyId: number, rule: Rule, now: Date): Statement {
  return sql`
    select m.contact_id from list_memberships m
    join lists l on l.company_id = m.company_id and l.id = m.list_id and l.deleted_at is null
    where m.company_id = ${companyId} and m.status = 'active' and ${predicateSql(rule, LIST_ID, now)}`;
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
    moment: rawSql(`extract(epoch from date_trunc('second', ${column}))::float8 * 1000`),
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
  return jsonPredicateSql(rule, value, sql`(c.properties ->> ${name}::text)`, now, elements);
}

/** Events counted per contact, or their amounts added up. Who has none counts as 0. */
function selectCounted(
  companyId: number,
  field: Extract<ContactField, { kind: 'count' | 'total' }>,
  rule: Rule,
  now: Date,
): Selection {
  const counted = rawSql(field.kind === 'count' ? 'count(*)' : 'coalesce(sum(amount), 0)');
  const eventType = field.kind === 'count' ? field.eventType : 'order_placed';
  const holds = compareNumber(counted, rule);
  const holdsForNone = evaluateRules({ rules: [{ ...rule, field: 'n' }] }, { event: { n: 0 }, contact: null }, now);
  const having = sql`group by contact_id having ${holdsForNone ? sql`not ${holds}` : holds}`;
  const ids = sql`
    select contact_id from events
    where company_id = ${companyId} and event_type = ${eventType} ${sinceSql(rule.within_days, now)}
    ${field.kind === 'count' && asksWhetherAny(rule) ? emptySql : having}`;
  return { ids, denied: holdsForNone };
}

/** Whether one event is as good as many, so that nothing need be counted: the rule tells 0 from everything above. */
function asksWhetherAny({ comparison, value }: Rule): boolean {
  const [low, high] = Array.isArray(value) ? value.map(toNumber) : [toNumber(value), toNumber(value)];
  if (low == null || high == null) return false;
  switch (comparison) {
    case 'equals':
    case 'not_equals':
      return low === 0;
    case 'greater_than':
    case 'less_than_or_equal':
      return low >= 0 && low < 1;
    case 'greater_than_or_equal':
    case 'less_than':
      return low > 0 && low <= 1;
    case 'between':
      return low <= 0 && high >= 0 && high < 1;
    default:
      return false;
  }
}

function sinceSql(days: unknown, now: Date): Statement {
  if (days === undefined) return emptySql;
  return sql`and occurred_at >= ${new Date(now.getTime() - toNumber(days)! * DAY_MS)}`;
}

/** Exact decimals: amounts are money. */
function compareNumber(expression: Statement, rule: Rule): Statement {
  const limit = (value: unknown): Statement => sql`${toNumber(value)}::numeric`;
  if (rule.comparison === 'between') {
    const [low, high] = rule.value as unknown[];
    return sql`(${expression} between ${limit(low)} and ${limit(high)})`;
  }
  const order = ORDERS[rule.comparison];
  if (order === undefined) throw new Error(`A count cannot be compared by ${rule.comparison}`);
  return sql`(${expression} ${rawSql(order)} ${limit(rule.value)})`;
}

const ORDERS: Partial<Record<Comparison, string>> = {
  equals: '=',
  not_equals: '<>',
  greater_than: '>',
  greater_than_or_equal: '>=',
  less_than: '<',
  less_than_or_equal: '<=',
};
