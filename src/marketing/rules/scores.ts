import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { Measure } from './fields.ts';
import type { Rule } from './language.ts';
import { CLASSES_IN_ORDER } from './rfm.ts';
import type { Summary } from './summary.ts';
import { wholeBounds } from './values.ts';

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
 * where the company has no boundaries yet.
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

/** A positive comparison of a buyer's class; null where the company has no boundaries yet. */
export function classHolds(companyId: number, summary: Summary, rule: Rule): Statement {
  const recency = sql`(select recency from rfm_boundaries where company_id = ${companyId})`;
  if (rule.comparison === 'exists') return sql`${recency} is not null`;
  const wanted = rule.comparison === 'in' ? (rule.value as unknown[]) : [rule.value];
  const places = CLASSES_IN_ORDER.flatMap((name, i) => (wanted.includes(name) ? [i] : []));
  const score = ({ of, column }: Scored): Statement => sql`width_bucket(${summary[of]},
    (select ${rawSql(column)} from rfm_boundaries where company_id = ${companyId}))`;
  // Recency alone, the cheapest of the three, excludes most buyers.
  const worst = Math.floor(Math.min(...places) / BEST);
  const enough = worst === 0 ? rawSql('true') : sql`${summary.last} >= (${recency})[${worst}::int]`;
  return sql`(${enough} and ${score(SCORED['rfm.recency']!)} * 5
    + (${score(SCORED['rfm.frequency']!)} + ${score(SCORED['rfm.monetary']!)} + 1) / 2 = any(${places}::int[]))`;
}
