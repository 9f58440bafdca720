import { type Statement, sql } from '../db/sql.ts';
import { RawJson } from '../lib/raw-json.ts';

/** Up to this many characters, the records of a page are sent as one text: a row for each makes a request 10 % more expensive. */
const TOGETHER = 65_536;

/** Some records of a page, with the total of its list on each row. An empty page has one row without records. */
export interface PageRow {
  total: number;
  json: string | null;
}

/**
 * Selects the rows of a page. `list` is the single row with the total, `page` a query over it for the records' `id` and `json`. Large
 * records get a row each: reading and sending them as one text would block other requests.
 */
export function selectPage(list: Statement, page: Statement): Statement {
  return sql`select l.total, part.json
    from ${list} l
    left join lateral (
      select array_agg(json order by id desc) as records, sum(length(json)) as length
      -- "offset 0" keeps the subquery: merged with this one, it would build each record twice.
      from (${page} offset 0) page
    ) page on true
    left join lateral unnest(
      case when page.length < ${TOGETHER} then array[array_to_string(page.records, ',')] else page.records end
    ) with ordinality as part (json, n) on true
    order by part.n`;
}

export function pageFrom(rows: readonly PageRow[]): { rows: RawJson[]; total: number } {
  return { total: rows[0]!.total, rows: rows.flatMap(({ json }) => (json === null ? [] : new RawJson(json))) };
}
