import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { Rule } from '../../rules/language.ts';
import { wholeBounds } from '../../rules/values.ts';
import type { Measure } from './fields.ts';
import { CLASSES_IN_ORDER } from './rfm.ts';
import type { Summary } from './summary.ts';

/** The value that a score is computed from, and the column of its boundaries. */
interface Scored {
  of: 'last' | 'n' | 'amount';
  column: 'recency' | 'frequency' | 'monetary';
}

export const SCORED: Partial<Record<Measure, Scored>> = {
  'rfm.recency': { of: 'last', column: 'recency' },
  'rfm.frequency': { of: 'n', column: 'frequency' },
  'rfm.monetary': { of: 'amount', column: 'monetary' },
};

const BEST = 5;

/**
 * A positive comparison of a buyer's score, by the boundaries of the scores: computing each score takes twice the time. Null
 * if the company has no boundaries yet.
 */
export function scoreHolds(companyId: number, { of, column }: Scored, summary: Summary, rule: Rule): Statement {
  const boundaries = rawSql(`(select ${column} from rfm_boundaries where company_id = `);
  const known = sql`${boundaries}${companyId}) is not null`;
  if (rule.comparison === 'exists') return known;
  const [low, high] = wholeBounds(rule);
  const begin = (score: number): Statement => sql`(${boundaries}${companyId}))[${score - 1}::int]`;
  if ((low ?? 1) > BEST || (high ?? BEST) < 1 || (low ?? 1) > (high ?? BEST)) return rawSql('false');
  const ends = [
    known,
    ...(low !== null && low > 1 ? [sql`${summary[of]} >= ${begin(low)}`] : []),
    ...(high !== null && high < BEST ? [sql`${summary[of]} < ${begin(high + 1)}`] : []),
  ];
  return sql`(${joinSql(ends, ' and ')})`;
}

/** A buyer's score from 0 to 4; null if the company has no boundaries yet. */
function fifthOf(companyId: number, { of, column }: Scored, summary: Summary): Statement {
  return sql`width_bucket(${summary[of]},
    (select ${rawSql(column)} from rfm_boundaries where company_id = ${companyId}))`;
}

/** A buyer's score from 1 to 5. */
export function scoreOf(companyId: number, scored: Scored, summary: Summary): Statement {
  return sql`${fifthOf(companyId, scored, summary)} + 1`;
}

/** The index of a buyer's class in `CLASSES_IN_ORDER`. */
function placeOf(companyId: number, summary: Summary): Statement {
  const fifth = (measure: Measure): Statement => fifthOf(companyId, SCORED[measure]!, summary);
  return sql`${fifth('rfm.recency')} * 5 + (${fifth('rfm.frequency')} + ${fifth('rfm.monetary')} + 1) / 2`;
}

/** A buyer's class. */
export function classOf(companyId: number, summary: Summary): Statement {
  return sql`(${CLASSES_IN_ORDER}::text[])[${placeOf(companyId, summary)} + 1]`;
}

/** A positive comparison of a buyer's class; null if the company has no boundaries yet. */
export function classHolds(companyId: number, summary: Summary, rule: Rule): Statement {
  const recency = sql`(select recency from rfm_boundaries where company_id = ${companyId})`;
  if (rule.comparison === 'exists') return sql`${recency} is not null`;
  const wanted = rule.comparison === 'in' ? (rule.value as unknown[]) : [rule.value];
  const places = CLASSES_IN_ORDER.flatMap((name, i) => (wanted.includes(name) ? [i] : []));
  // Recency alone, the cheapest of the three, excludes most buyers.
  const worst = Math.floor(Math.min(...places) / BEST);
  const enough = worst === 0 ? rawSql('true') : sql`${summary.last} >= (${recency})[${worst}::int]`;
  return sql`(${enough} and ${placeOf(companyId, summary)} = any(${places}::int[]))`;
}
