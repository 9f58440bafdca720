import type { Queryable } from '../../db/pool.ts';
import { joinSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import type { Rule, RuleGroup } from '../../rules/language.ts';
import { parseContactField } from './fields.ts';
import { historyRulesOf, keyOf } from './history-rules.ts';
import { selectLookedUp } from './looked-up-selection.ts';

/**
 * Cached facts about the histories of contacts, for flows. A decision of a flow is a pure function (see flows/engine): it
 * cannot query the database, and the facts it needs are not known beforehand. So it runs with the known facts: a missing one is
 * recorded and counts as false. Then the missing facts are loaded, by one statement for all contacts, and the decision is
 * discarded and repeated. Each round loads new facts of a limited number of rules, so the repetition ends.
 */
export interface Facts {
  /** Whether the contact's history satisfies the rule; false if that is unknown. */
  holds(contactId: number, rule: Rule): boolean;
  /** Records all facts that the rules need about the contact; false if some are unknown. */
  require(contactId: number, group: RuleGroup): boolean;
  /** Loads the missing facts; false if there were none. */
  load(db: Queryable): Promise<boolean>;
}

/** Maximum number of rules in one statement. */
const RULES_AT_ONCE = 50;

export function createFacts(companyId: number, now: Date): Facts {
  /** Keyed by rule, then by contact. */
  const known = new Map<string, Map<number, boolean>>();
  const missing = new Map<string, { rule: Rule; contacts: Set<number> }>();

  function holds(contactId: number, rule: Rule): boolean {
    const key = keyOf(rule);
    const fact = known.get(key)?.get(contactId);
    if (fact !== undefined) return fact;
    const asked = missing.get(key);
    if (asked === undefined) missing.set(key, { rule, contacts: new Set([contactId]) });
    else asked.contacts.add(contactId);
    return false;
  }

  return {
    holds,
    require(contactId, group) {
      const rules = historyRulesOf(group);
      for (const rule of rules) holds(contactId, rule);
      return rules.every((rule) => known.get(keyOf(rule))?.has(contactId) === true);
    },
    async load(db) {
      if (missing.size === 0) return false;
      const asked = [...missing].map(([key, { rule, contacts }]) => ({ key, rule, contacts: [...contacts] }));
      missing.clear();
      for (let from = 0; from < asked.length; from += RULES_AT_ONCE) {
        const some = asked.slice(from, from + RULES_AT_ONCE);
        const selected = await findSelected(db, companyId, now, some);
        some.forEach(({ key, rule, contacts }, i) => {
          const facts = known.get(key) ?? new Map<number, boolean>();
          known.set(key, facts);
          for (const id of contacts) facts.set(id, selected[i]!.has(id) !== isDenied(companyId, now, rule));
        });
      }
      return true;
    },
  };
}

function selectionOf(companyId: number, now: Date, rule: Rule, among: readonly number[]) {
  const field = parseContactField(rule.field);
  if (field?.kind !== 'history' && field?.kind !== 'custom') throw new Error(`${rule.field} is not looked up`);
  return selectLookedUp({ companyId, now, addedUpTo: 'current', among }, field, rule);
}

function isDenied(companyId: number, now: Date, rule: Rule): boolean {
  return selectionOf(companyId, now, rule, []).denied;
}

/** For each rule, the contacts that satisfy it: one statement for all rules, and so one snapshot. */
async function findSelected(
  db: Queryable,
  companyId: number,
  now: Date,
  asked: { rule: Rule; contacts: number[] }[],
): Promise<Set<number>[]> {
  const parts: Statement[] = asked.map(({ rule, contacts }, i) => {
    const { ids } = selectionOf(companyId, now, rule, contacts);
    return sql`(select distinct ${i}::int as rule, contact_id from (${ids}) selected (contact_id))`;
  });
  const rows = await db.query<{ rule: number; contact_id: number }>(unprepared(joinSql(parts, ' union all ')));
  const selected = asked.map(() => new Set<number>());
  for (const row of rows) selected[row.rule]!.add(row.contact_id);
  return selected;
}
