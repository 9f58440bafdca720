import { joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { DENIES, isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import { jsonPredicateSql, predicateSql, type Reading, textReading, timeReading } from '../../rules/predicates.ts';
import { toNumber } from '../../rules/values.ts';
import type { RuleField } from './custom-rules.ts';
import { fieldsWithKey, type ProductField, parseProductField, REFRESH_MS } from './rules.ts';

/** How the values of a shop's products are read. */
export interface ProductReading {
  /** Minor units per major unit. */
  divisor: number;
  /** From which `within_last_days` counts back. */
  now: Date;
  /** The custom fields of products and variants, where rules are on such fields. */
  fields: readonly RuleField[];
}

/** The columns of products that rules read. */
export const RULE_COLUMNS = [
  'name',
  'price',
  'sku',
  'tax_class',
  'categories',
  'subscription_enabled',
  'created_at',
  'options',
  'variant_count',
] as const;

/**
 * Compiles rules (checked by `checkProductRules`) to a condition over alias p, with `RULE_COLUMNS` and, for rules on custom fields,
 * `product_custom` and `variant_custom`. Null counts as false.
 */
export function productRulesSql(rules: RuleGroup, reading: ProductReading): Statement {
  return unprepared(groupSql(rules, reading));
}

function groupSql(group: RuleGroup, reading: ProductReading): Statement {
  if (group.rules.length === 0) return rawSql('true');
  const parts = group.rules.map((rule) => (isGroup(rule) ? groupSql(rule, reading) : ruleSql(rule, reading)));
  return sql`(${joinSql(parts, group.operator === 'or' ? ' or ' : ' and ')})`;
}

function ruleSql(rule: Rule, reading: ProductReading): Statement {
  const field = parseProductField(rule.field);
  if (field === null) throw new Error(`A product has no field ${rule.field}`);
  const denied = DENIES[rule.comparison];
  const holds = fieldSql(field, { ...rule, comparison: denied ?? rule.comparison }, reading);
  if (denied === undefined) return holds;
  const missing = sql`(${holds}) is not true`;
  // Variants have the values, so their parent neither has one nor lacks it.
  if (field.kind === 'option') return sql`(${missing} and not ${hasOption(field.name)})`;
  const isOfVariants = field.kind === 'custom' && isFieldOf(reading, 'variant', field.key);
  return isOfVariants ? sql`(${missing} and p.variant_count = 0)` : missing;
}

const DAY_MS = 24 * 3_600_000;

/** Replaces a number of days by the moment at which they began: nothing is created later than now. */
function sinceThen(rule: Rule, { now }: ProductReading): Rule {
  if (rule.comparison !== 'within_last_days') return rule;
  const since = new Date(now.getTime() - toNumber(rule.value)! * DAY_MS);
  return { ...rule, comparison: 'greater_than_or_equal', value: since.toISOString() };
}

/** The same for times that lie ahead when they are stored: those count that pass before the rules are applied again. */
function betweenRefreshes(rule: Rule, reading: ProductReading): Rule {
  const since = sinceThen(rule, reading);
  if (since === rule) return rule;
  const until = new Date(reading.now.getTime() + REFRESH_MS);
  return { ...since, comparison: 'between', value: [since.value, until.toISOString()] };
}

function hasOption(name: string): Statement {
  return sql`(p.variant_count > 0 and p.options @> ${JSON.stringify([{ name }])}::jsonb)`;
}

const CATEGORY = textReading(rawSql('category'));
const VALUE = rawSql('value');
const VALUE_AS_TEXT = rawSql("value #>> '{}'");
const STORED = rawSql('stored');
const STORED_AS_TEXT = rawSql("stored #>> '{}'");

function fieldSql(field: ProductField, rule: Rule, reading: ProductReading): Statement {
  switch (field.kind) {
    case 'categories':
      return sql`exists (
        select from unnest(p.categories) category where ${predicateSql(sinceThen(rule, reading), CATEGORY, reading.now)})`;
    case 'custom': {
      const { now } = reading;
      const dated = betweenRefreshes(rule, reading);
      const elements = sql`exists (
        select from jsonb_array_elements(stored) value where ${jsonPredicateSql(dated, VALUE, VALUE_AS_TEXT, now)})`;
      return sql`(select ${jsonPredicateSql(dated, STORED, STORED_AS_TEXT, now, elements)}
        from (select ${customValue(field.key, reading)} as stored) s)`;
    }
    default:
      return predicateSql(sinceThen(rule, reading), readingOf(field, reading), reading.now);
  }
}

/** The stored value, or null: a variant has its own, otherwise that of its parent. Values of deleted fields do not count. */
function customValue(key: string, reading: ProductReading): Statement {
  const own = isFieldOf(reading, 'variant', key) ? sql`p.variant_custom -> ${key}::text` : rawSql('null::jsonb');
  const shared = isFieldOf(reading, 'product', key) ? sql`p.product_custom -> ${key}::text` : rawSql('null::jsonb');
  return sql`coalesce(${own}, ${shared})`;
}

function isFieldOf({ fields }: ProductReading, on: RuleField['on'], key: string): boolean {
  return fieldsWithKey(fields, key).some((field) => field.on === on);
}

function readingOf(
  field: Exclude<ProductField, { kind: 'categories' | 'custom' }>,
  { divisor }: ProductReading,
): Reading {
  const present = rawSql('true');
  switch (field.kind) {
    case 'text':
      return textReading(rawSql(`p.${field.column}`));
    case 'price':
      return { present, number: sql`(p.price / ${divisor}::numeric)` };
    case 'subscriptions':
      return { present, text: rawSql('p.subscription_enabled::text') };
    case 'created':
      return timeReading(rawSql('p.created_at'));
    case 'option':
      return textReading(sql`(
        select o ->> 'value' from jsonb_array_elements(p.options) o where o ->> 'name' = ${field.name} limit 1)`);
  }
}
