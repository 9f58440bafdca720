import { joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { selectHistory } from './counted.ts';
import { type OwnField, parseContactField } from './fields.ts';
import { jsonRuleSql } from './json-values.ts';
import { DENIES, isGroup, type Rule, type RuleGroup } from './language.ts';
import { predicateSql, type Reading, textReading, timeReading } from './predicates.ts';
import { type Compiling, type Selection, withinSql } from './selection.ts';
import { equalityOperand } from './values.ts';

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
  const field = parseContactField(rule.field);
  if (field === null) throw new Error(`There is no field ${rule.field} of a contact`);
  if (field.kind === 'history') {
    const { ids, denied } = selectHistory(compiling, field, rule);
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
function isAmong(contactIds: Statement, id: Statement = rawSql('c.id')): Statement {
  return sql`(${id} in (
    with chosen (id) as materialized (${contactIds}) select unnest(array(select id from chosen)))) is true`;
}

/**
 * The number of contacts that the rules pick, as a whole statement: `n`. Of rules that must all hold, the contacts of one
 * that looks at histories or lists, as far as the others of this sort pick them too, are walked by the index on their ids,
 * which takes a third of the time of looking every contact up among them; where there are only negatives, those of one are taken off the others. Of rules of which any
 * will do, those are counted apart that other rules pick.
 */
export function compileCount(compiling: Compiling, rules: RuleGroup): Statement {
  const { companyId } = compiling;
  const conjuncts = conjunctsOf(rules);
  const [only] = conjuncts;
  const either = only !== undefined && conjuncts.length === 1 && isGroup(only) ? countEither(compiling, only) : null;
  if (either !== null) return unprepared(either);
  const compiled = conjuncts.map((rule) => (isGroup(rule) ? null : selectionOf(compiling, rule)));
  const positive = compiled.find((selection) => selection !== null && !selection.denied);
  if (positive) {
    const own = compileGroup(compiling, { rules: conjuncts.filter((_, i) => compiled[i] === null) });
    const others = compiled.filter((selection) => selection !== null && selection !== positive);
    return unprepared(countAmong(companyId, narrowed(positive.ids, others as Selection[]), own));
  }
  const driving = compiled.findIndex((selection) => selection !== null);
  const selection = driving >= 0 ? compiled[driving]! : null;
  const others = conjuncts.filter((_, i) => i !== driving);
  const rest = compileGroup(compiling, { rules: others });
  const all = sql`select count(*) as n from contacts c where c.company_id = ${companyId} and ${rest}`;
  if (selection === null) return unprepared(all);
  return unprepared(sql`select (${all}) - (${countAmong(companyId, selection.ids, rest)}) as n`);
}

/** Those of the ids that all other selections pick as well: found before the contacts' own rows are looked at. */
function narrowed(ids: Statement, others: Selection[]): Statement {
  if (others.length === 0) return ids;
  const id = rawSql('picked.id');
  const parts = others.map((other) => (other.denied ? sql`not ${isAmong(other.ids, id)}` : isAmong(other.ids, id)));
  return sql`select picked.id from (${ids}) picked (id) where ${joinSql(parts, ' and ')}`;
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
  const field = parseContactField(rule.field);
  if (field?.kind === 'history') return selectHistory(compiling, field, rule);
  if (field?.kind !== 'lists') return null;
  const denied = DENIES[rule.comparison];
  return {
    ids: selectListed(compiling, { ...rule, comparison: denied ?? rule.comparison }),
    denied: denied !== undefined,
  };
}

function selectListed(compiling: Compiling, rule: Rule): Statement {
  const { companyId, now } = compiling;
  return sql`
    select m.contact_id from list_memberships m
    join lists l on l.company_id = m.company_id and l.id = m.list_id and l.deleted_at is null
    where m.company_id = ${companyId} and m.status = 'active' and ${predicateSql(rule, LIST_ID, now)}
      ${withinSql(compiling)}`;
}

const LIST_ID: Reading = idReading('m.list_id');
const TAG: Reading = textReading(rawSql('tag'));
const CONTACT_ID: Reading = idReading('c.id');

/** A positive comparison of what stands in the contact's own row. */
function compileOwn(field: Exclude<OwnField, { kind: 'lists' }>, rule: Rule, now: Date): Statement {
  switch (field.kind) {
    case 'text':
      return predicateSql(rule, textReading(rawSql(`c.${field.column}`)), now);
    case 'time':
      return predicateSql(rule, timeReading(rawSql(`c.${field.column}`)), now);
    case 'id':
      return predicateSql(rule, CONTACT_ID, now);
    case 'tags':
      // The index on tags knows whole ones.
      if (rule.comparison === 'equals' && equalityOperand(rule.value)?.kind === 'text') {
        return sql`c.tags @> array[${String(rule.value)}::text]`;
      }
      return sql`exists (select 1 from unnest(c.tags) tag where ${predicateSql(rule, TAG, now)})`;
    case 'property':
      return jsonRuleSql(rawSql('c.properties'), field.path, rule, now);
  }
}

function idReading(column: string): Reading {
  return { present: rawSql('true'), number: rawSql(column), whole: rawSql(column) };
}
