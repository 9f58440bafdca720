import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Design } from '../templates/design/schema.ts';

/** The contents of the e-mail templates among the ids. */
export function findTemplateContents(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<{ id: number; content: string; design: Design | null }[]> {
  return db.query(sql`
    select id, content, design from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and channel = 'email'`);
}

/** Other active flows with the same trigger, the oldest first, at most ten. */
export function findActiveTwins(
  db: Queryable,
  companyId: number,
  { id, trigger_type }: { id: number; trigger_type: string },
): Promise<{ name: string }[]> {
  return db.query(sql`
    select name from flows
    where company_id = ${companyId} and trigger_type = ${trigger_type} and status = 'active' and deleted_at is null
      and id <> ${id}
    order by id limit 10`);
}
