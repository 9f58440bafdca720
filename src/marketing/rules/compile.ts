import { joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { DENIES, isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import { idReading, predicateSql, type Reading, textReading, timeReading } from '../../rules/predicates.ts';
import { equalityOperand } from '../../rules/values.ts';
import { type OwnField, parseContactField } from './fields.ts';
import { jsonRuleSql } from './json-values.ts';
import { selectLookedUp } from './looked-up-selection.ts';
import { type Compiling, type Selection, withinSql } from './selection.ts';

/**
 * Compiles the rules of a segment (checked by `checkRules`) to a boolean SQL expression over the alias `c` of contacts, where
 * null counts as false. It selects the same contacts as `evaluateRules`.
 * See docs/design/segments-and-rules.md.
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
  if (field.kind === 'history' || field.kind === 'custom') {
    const { ids, denied } = selectLookedUp(compiling, field, rule);
    return denied ? sql`not ${isAmong(ids)}` : isAmong(ids);
  }
  const denied = DENIES[rule.comparison];
  const positive: Rule = { ...rule, comparison: denied ?? rule.comparison };
  const holds =
    field.kind === 'lists' ? isAmong(selectListed(compiling, positive)) : compileOwn(field, positive, compiling.now);
  return denied === undefined ? holds : sql`(${holds}) is not true`;
}

/**
 * Whether the statement selects the contact. Because of the array, the ids are always looked up in a hash table that is built
 * once, also under `or` and with wrong estimates; a plain sub-select might run again for every contact. The CTE prevents
 * parallel workers, each of which would build its own table.
 */
function isAmong(contactIds: Statement, id: Statement = rawSql('c.id')): Statement {
  return sql`(${id} in (
    with chosen (id) as materialized (${contactIds}) select unnest(array(select id from chosen)))) is true`;
}

/**
 * Returns a statement that counts the contacts that the rules select, as `n`. If all rules must hold, those on histories or
 * lists become arrays of ids, which the index on contacts intersects in two thirds of the time of a hash lookup; ids of
 * negated rules are excluded first. If all rules are negated, their contacts are subtracted from the stored total. For
 * an `or` group, contacts of the rules on histories or lists are counted separately.
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

/** Counts the ids without reading contacts. */
function countMembers({ memberships }: Selection, ids: Statement): Statement {
  return sql`select ${rawSql(memberships?.once ? 'count(*)' : 'count(distinct id)')} as n from (${ids}) members (id)`;
}

/** The company's stored number of contacts, in the statement's snapshot: counting a million would take 0.1 s of CPU. */
function keptTotal(companyId: number): Statement {
  return sql`select coalesce(sum(n), 0)::bigint as n from counters where company_id = ${companyId} and counter = 'contacts'`;
}

function unionOf(selections: Selection[]): Statement {
  return joinSql(
    selections.map(({ ids }) => sql`(${ids})`),
    ' union all ',
  );
}

/** The ids without those that a negated rule selects, before the rows of contacts are read. */
function narrowed(ids: Statement, negatives: Statement[]): Statement {
  if (negatives.length === 0) return ids;
  const parts = negatives.map((negative) => sql`not ${isAmong(negative, rawSql('picked.id'))}`);
  return sql`select picked.id from (${ids}) picked (id) where ${joinSql(parts, ' and ')}`;
}

/**
 * The condition on ids has its own sub-select, so that no other condition makes the planner scan the arrays for each contact.
 * `array_agg`, not `array(…)`: since PostgreSQL 16 parallel workers build it, which halves the time for 600,000 ids.
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
 * For an `or` group: the contacts of the rules on contact fields, plus those that only the other rules
 * select. Null if the group lacks one of the two kinds, or if one of the second kind is negated.
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

/** The rules and groups that must all hold. */
function conjunctsOf(group: RuleGroup): (Rule | RuleGroup)[] {
  if (group.operator === 'or' && group.rules.length > 1) return [group];
  return group.rules.flatMap((rule) => (isGroup(rule) ? conjunctsOf(rule) : [rule]));
}

/** The selection of a rule on histories or lists; null for a rule on the contact's own row. */
function selectionOf(compiling: Compiling, rule: Rule): Selection | null {
  const field = parseContactField(rule.field);
  if (field?.kind === 'history' || field?.kind === 'custom') return selectLookedUp(compiling, field, rule);
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

/** A positive comparison of a field in the contact's own row. */
function compileOwn(field: Exclude<OwnField, { kind: 'lists' }>, rule: Rule, now: Date): Statement {
  switch (field.kind) {
    case 'text':
      return predicateSql(rule, textReading(rawSql(`c.${field.column}`)), now);
    case 'time':
      return predicateSql(rule, timeReading(rawSql(`c.${field.column}`)), now);
    case 'id':
      return predicateSql(rule, CONTACT_ID, now);
    case 'tags':
      // The index on tags finds whole tags.
      if (rule.comparison === 'equals' && equalityOperand(rule.value)?.kind === 'text') {
        return sql`c.tags @> array[${String(rule.value)}::text]`;
      }
      return sql`exists (select 1 from unnest(c.tags) tag where ${predicateSql(rule, TAG, now)})`;
    case 'property':
      return jsonRuleSql(rawSql('c.properties'), field.path, rule, now);
  }
}
