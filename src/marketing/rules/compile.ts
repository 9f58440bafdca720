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
 * The number of contacts that the rules pick, as a whole statement: `n`. Of rules that must all hold, the contacts of those
 * that look at histories or lists are arrays of ids, which the index on contacts walks where they meet: that takes two thirds of
 * the time of looking them up in a hash table. Those of negatives are left out before; where there are only negatives, whom
 * they name is taken off the others; of all contacts the total is kept. Of rules of which any will do, those are counted apart that other rules pick.
 */
export function compileCount(compiling: Compiling, rules: RuleGroup): Statement {
  const { companyId } = compiling;
  const conjuncts = conjunctsOf(rules);
  const [only] = conjuncts;
  const either = only !== undefined && conjuncts.length === 1 && isGroup(only) ? countEither(compiling, only) : null;
  if (either !== null) return unprepared(either);
  const compiled = conjuncts.map((rule) => (isGroup(rule) ? null : selectionOf(compiling, rule)));
  const rest = compileGroup(compiling, { rules: conjuncts.filter((_, i) => compiled[i] === null) });
  const selections = compiled.filter((selection) => selection !== null);
  const positive = selections.filter(({ denied }) => !denied);
  const negative = selections.filter(({ denied }) => denied);
  const onlySelections = selections.length === conjuncts.length;
  const [first, ...others] = positive;
  if (first !== undefined) {
    const ids = narrowed(
      first.ids,
      negative.map((selection) => selection.ids),
    );
    if (onlySelections && others.length === 0 && first.memberships) return unprepared(countMembers(first, ids));
    return unprepared(countAmong(companyId, [ids, ...others.map((selection) => selection.ids)], rest));
  }
  if (negative.length === 0 || !onlySelections) {
    const all = sql`select count(*) as n from contacts c where c.company_id = ${companyId} and ${rest}`;
    if (negative.length === 0) return unprepared(all);
    return unprepared(sql`select (${all}) - (${countAmong(companyId, [unionOf(negative)], rest)}) as n`);
  }
  const [one] = negative;
  const denied =
    negative.length === 1 && one!.memberships
      ? countMembers(one!, one!.ids)
      : countAmong(companyId, [unionOf(negative)], rest);
  return unprepared(sql`select (${keptTotal(companyId)}) - (${denied}) as n`);
}

/** Without a look at the contacts. */
function countMembers({ memberships }: Selection, ids: Statement): Statement {
  return sql`select ${rawSql(memberships?.once ? 'count(*)' : 'count(distinct id)')} as n from (${ids}) members (id)`;
}

/** How many contacts the company has, in the statement's snapshot: counting a million takes 0.1 s of processor time. */
function keptTotal(companyId: number): Statement {
  return sql`
    select coalesce(sum(n), 0)::bigint as n
    from (
      select n from list_counts where company_id = ${companyId} and list = 'contacts'
      union all
      select n from list_count_deltas where company_id = ${companyId} and list = 'contacts'
    ) kept`;
}

function unionOf(selections: Selection[]): Statement {
  return joinSql(
    selections.map(({ ids }) => sql`(${ids})`),
    ' union all ',
  );
}

/** Those of the ids that none of the negatives picks: found before the contacts' own rows are looked at. */
function narrowed(ids: Statement, negatives: Statement[]): Statement {
  if (negatives.length === 0) return ids;
  const parts = negatives.map((negative) => sql`not ${isAmong(negative, rawSql('picked.id'))}`);
  return sql`select picked.id from (${ids}) picked (id) where ${joinSql(parts, ' and ')}`;
}

/**
 * Alone with the ids, so that no other condition makes the planner go through the arrays for every contact. `array_agg` and not
 * `array(…)`: from PostgreSQL 16 on, parallel workers fill it, which halves the time for 600,000 ids.
 */
function countAmong(companyId: number, idsOfEach: Statement[], rest: Statement): Statement {
  const among = idsOfEach.map((ids) => sql`c.id = any((select array_agg(id) from (${ids}) among (id))::bigint[])`);
  return sql`
    select count(*) as n
    from (
      select c.* from contacts c where c.company_id = ${companyId} and ${joinSql(among, ' and ')} offset 0
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
  const ids = unionOf(selections);
  const all = sql`select count(*) as n from contacts c where c.company_id = ${companyId} and ${picked}`;
  return sql`select (${all}) + (${countAmong(companyId, [ids], sql`(${picked}) is not true`)}) as n`;
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
    memberships: { once: (denied ?? rule.comparison) === 'equals' },
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
