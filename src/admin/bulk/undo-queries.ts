import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';

/** A tagging: its tag, and whether it was added or removed. */
export interface Tagged {
  of: number;
  tag: string;
  added: boolean;
}

/** Stores which contacts an action changed, in the transaction that changed them. `contactIds` must be ascending. */
export async function keepChanges(
  tx: Tx,
  companyId: number,
  id: number,
  contactIds: number[],
  now: Date,
): Promise<void> {
  if (contactIds.length === 0) return;
  await tx.query(sql`
    insert into bulk_action_changes (company_id, bulk_action_id, last_id, contact_ids, created_at)
    values (${companyId}, ${id}, ${contactIds.at(-1)!}, ${contactIds}::bigint[], ${now})`);
}

/** Selects contacts that an action changed and that are still in that state, after `after` in the index on `last_id`. */
function changedBy(companyId: number, { of, tag, added }: Tagged, after: number): Statement {
  return sql`
    from bulk_action_changes j cross join lateral unnest(j.contact_ids) as x (id)
    join contacts c on c.company_id = ${companyId} and c.id = x.id
    where j.company_id = ${companyId} and j.bulk_action_id = ${of} and j.last_id > ${after} and x.id > ${after}
      and ${added ? emptySql : rawSql('not')} c.tags @> array[${tag}]::text[]`;
}

/** Returns how many can be undone, and their highest id. */
export async function countChanged(
  db: Queryable,
  companyId: number,
  tagged: Tagged,
): Promise<{ total: number; upto: number }> {
  const rows = await db.query<{ total: number; upto: number }>(sql`
    select count(*)::int as total, coalesce(max(x.id), 0) as upto ${changedBy(companyId, tagged, 0)}`);
  return rows[0]!;
}

export async function nextChanged(
  tx: Tx,
  companyId: number,
  tagged: Tagged,
  { after, upto, limit }: { after: number; upto: number; limit: number },
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select x.id ${changedBy(companyId, tagged, after)} and x.id <= ${upto} order by j.last_id, x.id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Returns whether changes of the action are stored, and whether it was undone or is being undone. */
export async function findUndo(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<{ kept: boolean; undone: boolean }> {
  const rows = await db.query<{ kept: boolean; undone: boolean }>(sql`
    select exists (select from bulk_action_changes where company_id = ${companyId} and bulk_action_id = ${id}) as kept,
      exists (
        select from bulk_actions where company_id = ${companyId} and action = 'undo_tagging' and status <> 'cancelled'
          and input @> ${JSON.stringify({ of: id })}::jsonb
      ) as undone`);
  return rows[0]!;
}
