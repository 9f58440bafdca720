import { type Statement, sql } from './sql.ts';

/**
 * A company's id as a value that the planner does not know: it expects as many rows as a company has on average. With the id
 * itself, a company that statistics do not know yet is taken for nearly empty.
 */
export function hideFromPlanner(companyId: number): Statement {
  return sql`(select ${companyId}::bigint)`;
}
