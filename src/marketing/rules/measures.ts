import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { DENIES, type Rule } from '../../rules/language.ts';
import { predicateSql, type Reading, timeReading } from '../../rules/predicates.ts';
import { toNumber, wholeBounds } from '../../rules/values.ts';
import { evaluateRules } from './evaluate.ts';
import { type HistoryField, kindOfMeasure, type Measure } from './fields.ts';
import { classHolds, classOf, SCORED, scoreHolds, scoreOf } from './scores.ts';
import type { Compiling } from './selection.ts';
import type { Summary } from './summary.ts';

/** How a rule selects contacts by the summary of their history. */
export interface Picking {
  holds: (summary: Summary) => Statement;
  /** The selected contacts are those that do not satisfy the rule. */
  denied: boolean;
  /** Whether a contact without a history counts as 0, not as missing. */
  countsNone: boolean;
  /** Whether the rule only distinguishes none from any, so that nothing needs to be counted. */
  asksWhetherAny: boolean;
}

export function pickingOf(compiling: Compiling, { measure }: HistoryField, rule: Rule): Picking {
  const { now } = compiling;
  const kind = kindOfMeasure(measure);
  if (kind === 'count') {
    // A contact without a history is in no group. If the rule holds for 0, the contacts that do not satisfy it are selected instead.
    const denied = evaluateRules({ rules: [{ ...rule, field: 'n' }] }, { event: { n: 0 }, contact: null }, now);
    return {
      holds: (summary) => {
        const holds = measure === 'count' ? compareWhole(summary.n, rule) : compareNumber(summary.amount, rule);
        return denied ? sql`not ${holds}` : holds;
      },
      denied,
      countsNone: true,
      asksWhetherAny: measure === 'count' && asksWhetherAny(rule),
    };
  }
  const positive: Rule = { ...rule, comparison: DENIES[rule.comparison] ?? rule.comparison };
  const end = measure === 'days_since_first' ? 'first' : measure === 'days_since_last' ? 'last' : null;
  const holds = (summary: Summary): Statement => {
    if (end !== null) return daysSince(summary[end], positive, now);
    if (measure === 'rfm.class') return classHolds(compiling.companyId, summary, positive);
    const scored = SCORED[measure];
    if (scored !== undefined) return scoreHolds(compiling.companyId, scored, summary, positive);
    return predicateSql(positive, readingOf(compiling, measure, summary), now);
  };
  return {
    holds,
    denied: DENIES[rule.comparison] !== undefined,
    countsNone: false,
    asksWhetherAny: positive.comparison === 'exists' && /^(first|last)_at$|^days_since/.test(measure),
  };
}

function readingOf(compiling: Compiling, measure: Measure, summary: Summary): Reading {
  const value = sql`(${measured(compiling, measure, summary)})`;
  const present = sql`${value} is not null`;
  return kindOfMeasure(measure) === 'moment' ? timeReading(value, present) : { present, number: value };
}

/** Null if the history is too short. Differences are in seconds, since intervals in days depend on time zones. */
function measured(compiling: Compiling, measure: Measure, { n, first, last }: Summary): Statement {
  const now = sql`${compiling.now}::timestamptz`;
  const span = sql`extract(epoch from ${last} - ${first})`;
  const ofSeveral = (value: Statement): Statement => sql`case when ${n} > 1 and ${last} > ${first} then ${value} end`;
  switch (measure) {
    case 'first_at':
      return first;
    case 'days_between':
      return ofSeveral(sql`floor(${span} / (86400 * (${n} - 1)))`);
    case 'next_expected_at':
      return ofSeveral(sql`${last} + make_interval(secs => (${span} / (${n} - 1))::float8)`);
    case 'days_until_next':
      return ofSeveral(
        sql`floor((extract(epoch from ${last} - ${now}) * (${n} - 1) + ${span}) / (86400 * (${n} - 1)))`,
      );
    default:
      return last;
  }
}

const AS_TEXT = rawSql("at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')");

/** The value that a rule compares, as jsonb, from one contact's summary; null if the history is too short. */
export function measuredJson(compiling: Compiling, measure: Measure, summary: Summary): Statement {
  const days = (at: Statement): Statement =>
    sql`to_jsonb(floor(extract(epoch from ${compiling.now}::timestamptz - ${at}) / 86400))`;
  const scored = SCORED[measure];
  const ofBuyer = (value: Statement): Statement => sql`case when ${summary.n} > 0 then to_jsonb(${value}) end`;
  if (scored !== undefined) return ofBuyer(scoreOf(compiling.companyId, scored, summary));
  switch (measure) {
    case 'count':
      return sql`to_jsonb(${summary.n})`;
    case 'total':
    case 'net':
      return sql`to_jsonb(${summary.amount})`;
    case 'days_since_first':
      return days(summary.first);
    case 'days_since_last':
      return days(summary.last);
    case 'rfm.class':
      return ofBuyer(classOf(compiling.companyId, summary));
    default: {
      const value = measured(compiling, measure, summary);
      return kindOfMeasure(measure) === 'moment' ? sql`to_jsonb(to_char(${value} ${AS_TEXT})` : sql`to_jsonb(${value})`;
    }
  }
}

const DAY_MS = 24 * 3_600_000;
/** A bound in days beyond all events. */
const MAX_DAYS = 700_000;

/** Compares whole days since a moment by comparing moments: computing the days of each contact takes twice the time. */
function daysSince(at: Statement, { comparison, value }: Rule, now: Date): Statement {
  const [low, high] = (Array.isArray(value) ? value : [value]).map((one) => toNumber(one) ?? 0);
  const ago = (days: number): Date => new Date(now.getTime() - Math.min(Math.max(days, -MAX_DAYS), MAX_DAYS) * DAY_MS);
  // For an integer n: at least n days have passed, or fewer.
  const atLeast = (n: number): Statement => sql`${at} <= ${ago(n)}`;
  const fewer = (n: number): Statement => sql`${at} > ${ago(n)}`;
  switch (comparison) {
    case 'equals':
      return Number.isInteger(low) ? sql`(${atLeast(low!)} and ${fewer(low! + 1)})` : rawSql('false');
    case 'between':
      return sql`(${atLeast(Math.ceil(low!))} and ${fewer(Math.floor(high!) + 1)})`;
    case 'greater_than':
      return atLeast(Math.floor(low!) + 1);
    case 'greater_than_or_equal':
      return atLeast(Math.ceil(low!));
    case 'less_than':
      return fewer(Math.ceil(low!));
    case 'less_than_or_equal':
      return fewer(Math.floor(low!) + 1);
    default:
      return sql`${at} is not null`;
  }
}

/** Whether the rule only distinguishes 0 from larger counts. */
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

/** As `compareNumber`, for integers: casting each to numeric would take longer than reading it. */
function compareWhole(expression: Statement, rule: Rule): Statement {
  if (rule.comparison === 'not_equals') return sql`not ${compareWhole(expression, { ...rule, comparison: 'equals' })}`;
  const [low, high] = wholeBounds(rule);
  const ends = [
    ...(low === null ? [] : [sql`${expression} >= ${low}::bigint`]),
    ...(high === null ? [] : [sql`${expression} <= ${high}::bigint`]),
  ];
  return sql`(${joinSql(ends, ' and ')})`;
}

/** Compares exact decimals, since amounts are money. */
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

const ORDERS: Partial<Record<Rule['comparison'], string>> = {
  equals: '=',
  not_equals: '<>',
  greater_than: '>',
  greater_than_or_equal: '>=',
  less_than: '<',
  less_than_or_equal: '<=',
};
