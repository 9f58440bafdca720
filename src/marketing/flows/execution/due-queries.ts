import type { Db, Queryable } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';

/** The first due run of each company, by one index lookup each. */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from flow_runs where status = 'active' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from flow_runs where status = 'active' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** A company with due runs, signals, events or tasks of flows. */
export interface CompanyWork {
  company_id: number;
  emissions: boolean;
  tasks: boolean;
}

/** Costs one index lookup per company in each of the tables. */
export function companiesWithWork(db: Db, now: Date): Promise<CompanyWork[]> {
  return db.query<CompanyWork>(sql`
    with recursive ${FIRST_DUE},
    found as (
      select company_id, 'run' as kind from first_due where due_at <= ${now}
      union select company_id, 'signal' from ${companiesIn('flow_signals')} s
      union select company_id, 'emission' from ${companiesIn('flow_emissions')} e
      union select company_id, 'task' from ${companiesIn('flow_tasks')} t
    )
    select company_id, bool_or(kind = 'emission') as emissions, bool_or(kind = 'task') as tasks
    from found group by company_id order by company_id`);
}

/** When the next run, or postponed task or event, comes due in any company. */
export async function nextDueRun(db: Queryable): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(due_at) as due_at from (
      select due_at from first_due
      union all select due_at from flow_tasks where attempts > 0
      union all select due_at from flow_emissions where attempts > 0
    ) moments`);
  return rows[0]!.due_at;
}

function companiesIn(table: 'flow_signals' | 'flow_emissions' | 'flow_tasks'): Statement {
  const name = rawSql(table);
  return sql`(
    with recursive present as (
      (select company_id from ${name} order by company_id limit 1)
      union all
      select (select company_id from ${name} t where t.company_id > present.company_id order by company_id limit 1)
      from present where present.company_id is not null
    )
    select company_id from present where company_id is not null)`;
}
