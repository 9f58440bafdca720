import { rawSql, type Statement, sql } from '../../db/sql.ts';
import { DENIES, type Rule } from '../../rules/language.ts';
import type { CustomerField, LookedUpField } from './fields.ts';
import { selectHistory } from './history-selection.ts';
import { jsonRuleSql } from './json-values.ts';
import { type Compiling, type Selection, withinSql } from './selection.ts';

/** Selects the contacts that satisfy the rule. */
export function selectLookedUp(compiling: Compiling, field: LookedUpField, rule: Rule): Selection {
  return field.kind === 'history' ? selectHistory(compiling, field, rule) : selectByCustom(compiling, field, rule);
}

/** A contact with the id of a customer as its external id is that customer. */
function selectByCustom(compiling: Compiling, { key }: CustomerField, rule: Rule): Selection {
  const denied = DENIES[rule.comparison];
  const positive: Rule = { ...rule, comparison: denied ?? rule.comparison };
  const holds = jsonRuleSql(rawSql('custom'), [key], positive, compiling.now);
  const ids = sql`
    select contact_id from (${customersOf(compiling)}) customer_contacts
    where ${holds} ${withinSql(compiling)}`;
  return { ids, denied: denied !== undefined };
}

/** The custom fields of the customers that contacts are, as contact_id and custom. */
function customersOf({ companyId, among }: Compiling): Statement {
  // Few contacts are looked up one by one; otherwise the contacts of all customers that have custom fields are.
  const isSame =
    among === undefined
      ? rawSql('k.external_id = u.id::text')
      : rawSql("u.id = case when k.external_id ~ '^[1-9][0-9]{0,17}$' then k.external_id::bigint end");
  return sql`
    select k.id as contact_id, u.custom
    from customers u join contacts k on k.company_id = u.company_id and ${isSame}
    where u.company_id = ${companyId} and u.custom <> '{}' and u.erased_at is null`;
}

/** The contact's value, as jsonb. */
export function customJson(compiling: Compiling, { key }: CustomerField): Statement {
  return sql`(
    select custom -> ${key}::text from (${customersOf(compiling)}) customer_contacts
    where true ${withinSql(compiling)})`;
}
