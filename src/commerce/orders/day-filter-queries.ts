import { emptySql, type Statement, sql } from '../../db/sql.ts';

/** Days in a time zone, inclusive; null for no bound. */
export interface Days {
  /** YYYY-MM-DD. */
  dateFrom: string | null;
  dateTo: string | null;
  /** IANA name. */
  timeZone: string;
}

const UTC = 'UTC';

const startOf = ({ dateFrom, timeZone }: Days): Statement =>
  sql`${dateFrom}::date::timestamp at time zone ${timeZone}::text`;
const endOf = ({ dateTo, timeZone }: Days): Statement =>
  sql`(${dateTo}::date + 1)::timestamp at time zone ${timeZone}::text`;

/** The days as conditions over alias o. */
export function conditionsOfDays(days: Days): Statement {
  return sql`${days.dateFrom === null ? emptySql : sql`and o.created_at >= ${startOf(days)}`}
    ${days.dateTo === null ? emptySql : sql`and o.created_at < ${endOf(days)}`}`;
}

/**
 * Returns where a page of orders begins, as columns total, below, rest and lowest (see locate_page). The totals are kept by days in UTC.
 * For another time zone, the UTC days that contain the period are taken; orders of the first and the last of them that lie outside the
 * period are counted one by one and subtracted.
 */
export function locateOrders(
  companyId: number,
  {
    facets,
    facetConditions,
    days,
    skip,
  }: { facets: string[] | null; facetConditions: Statement; days: Days; skip: number },
): Statement {
  const { dateFrom, dateTo, timeZone } = days;
  const endless = dateFrom === null && dateTo === null;
  const empty = dateFrom !== null && dateTo !== null && dateFrom > dateTo;
  if (timeZone === UTC || endless || empty)
    return keptPage(companyId, facets, { first: sql`${dateFrom}::date`, last: sql`${dateTo}::date` }, skip);
  const first = dateFrom === null ? sql`null::date` : sql`(${startOf(days)} at time zone 'UTC')::date`;
  // The last moment of the period, not the first one after it.
  const last =
    dateTo === null ? sql`null::date` : sql`((${endOf(days)} - interval '1 microsecond') at time zone 'UTC')::date`;
  const outside = (day: Statement, beyond: Statement): Statement => sql`
    union all
    select o.id / 4096, -count(*) from ${keptPage(companyId, facets, { first: day, last: day }, 0)} edge
    join orders o on o.company_id = ${companyId} and o.id < edge.below and o.id >= edge.lowest
      and o.created_at >= ${day}::timestamp at time zone 'UTC'
      and o.created_at < (${day} + 1)::timestamp at time zone 'UTC' and ${beyond} ${facetConditions}
    group by 1`;
  const kept = (table: Statement): Statement => sql`
    select bucket, n from ${table} where company_id = ${companyId} and list = 'orders'
      ${facets === null ? emptySql : sql`and facet = any(${facets}::text[])`}
      ${dateFrom === null ? emptySql : sql`and day >= ${first}`} ${dateTo === null ? emptySql : sql`and day <= ${last}`}`;
  return sql`(
    select coalesce(max(before + n), 0)::bigint as total,
      coalesce(max((bucket + 1) * 4096) filter (where ${skip} >= before and ${skip} < before + n), 0)::bigint as below,
      coalesce(max(${skip} - before) filter (where ${skip} >= before and ${skip} < before + n), 0)::bigint as rest,
      coalesce(min(bucket * 4096) filter (where n > 0), 0)::bigint as lowest
    from (
      select bucket, sum(n) as n, sum(sum(n)) over (order by bucket desc) - sum(n) as before
      from (
        ${kept(sql`list_counts`)}
        union all ${kept(sql`list_count_deltas`)}
        ${dateFrom === null ? emptySql : outside(first, sql`o.created_at < ${startOf(days)}`)}
        ${dateTo === null ? emptySql : outside(last, sql`o.created_at >= ${endOf(days)}`)}
      ) changes (bucket, n)
      group by bucket
    ) buckets
  )`;
}

function keptPage(
  companyId: number,
  facets: string[] | null,
  { first, last }: { first: Statement; last: Statement },
  skip: number,
): Statement {
  return sql`locate_page(${companyId}, 'orders', ${facets}::text[], ${first}, ${last}, ${skip})`;
}
