import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { ActionName, BulkAction } from './contract.ts';

export type BulkRow = Omit<BulkAction, 'created_at' | 'finished_at'> & {
  filters: Record<string, unknown>;
  input: BulkInput;
  position: number;
  upto: number;
  actor: string;
  epoch: number;
  created_at: Date;
  finished_at: Date | null;
};

const COLUMNS = rawSql(
  'id, action, filters, input, status, position, upto, total, changed, refused, refusals, actor, epoch, created_at, finished_at',
);
/** A worker that does not renew for this long counts as dead. */
const LEASE = rawSql("interval '30 seconds'");
const MOST_REFUSALS = 100;

/** Input of an action in addition to the filters. */
export interface BulkInput {
  tag?: string;
  /** The action being undone, and whether it added or removed the tag. */
  of?: number;
  added?: boolean;
}

export interface NewBulkAction {
  action: ActionName;
  filters: object;
  input: BulkInput;
  actor: string;
  total: number;
  upto: number;
}

/** If two begin at the same moment, the second waits and sees the first. */
export async function countRunning(tx: Tx, companyId: number): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('bulk actions', ${companyId}))`);
  const rows = await tx.query<{ n: number }>(sql`
    select count(*)::int as n from bulk_actions where company_id = ${companyId} and status = 'running'`);
  return rows[0]!.n;
}

export async function insertBulkAction(
  tx: Tx,
  companyId: number,
  { action, filters, input, actor, total, upto }: NewBulkAction,
  now: Date,
): Promise<BulkRow> {
  const rows = await tx.query<BulkRow>(sql`
    insert into bulk_actions (company_id, action, filters, input, status, total, upto, actor, created_at)
    values (${companyId}, ${action}, ${JSON.stringify(filters)}::jsonb, ${JSON.stringify(input)}::jsonb, 'running', ${total}, ${upto}, ${actor}, ${now})
    returning ${COLUMNS}`);
  return rows[0]!;
}

export async function findBulkAction(db: Queryable, companyId: number, id: number): Promise<BulkRow | undefined> {
  const rows = await db.query<BulkRow>(sql`
    select ${COLUMNS} from bulk_actions where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

/** Ends a running action; undefined if it is no longer running. */
export async function finish(
  tx: Tx,
  companyId: number,
  id: number,
  status: 'done' | 'cancelled',
  now: Date,
): Promise<BulkRow | undefined> {
  const rows = await tx.query<BulkRow>(sql`
    update bulk_actions set status = ${status}, finished_at = ${now}, lease_until = null
    where company_id = ${companyId} and id = ${id} and status = 'running' returning ${COLUMNS}`);
  return rows[0];
}

/** Returns companies with an action that a worker may claim, by the database's time. */
export async function companiesWithWork(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select distinct company_id from bulk_actions
    where status = 'running' and (lease_until is null or lease_until < clock_timestamp())
    order by company_id limit 1000`);
  return rows.map((row) => row.company_id);
}

/** Claims the company's oldest unclaimed action. */
export async function claim(tx: Tx, companyId: number): Promise<BulkRow | undefined> {
  const rows = await tx.query<BulkRow>(sql`
    update bulk_actions set epoch = epoch + 1, lease_until = clock_timestamp() + ${LEASE}
    where company_id = ${companyId} and id = (
      select id from bulk_actions
      where company_id = ${companyId} and status = 'running' and (lease_until is null or lease_until < clock_timestamp())
      order by id limit 1 for update skip locked)
    returning ${COLUMNS}`);
  return rows[0];
}

/** Records that have been processed, up to the id `position`. */
export interface Step {
  position: number;
  changed: number;
  refused: { id: number; message: string }[];
}

/**
 * Counts records in the transaction that changed them. Returns false if another worker now holds the action or it was cancelled: then the
 * transaction must not commit.
 */
export async function advance(
  tx: Tx,
  companyId: number,
  { id, epoch }: BulkRow,
  { position, changed, refused }: Step,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update bulk_actions set position = ${position}, lease_until = clock_timestamp() + ${LEASE},
      changed = changed + ${changed}, refused = refused + ${refused.length},
      refusals = case when refused < ${MOST_REFUSALS} then refusals || ${JSON.stringify(refused)}::jsonb else refusals end
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} and status = 'running' returning 1 as held`);
  return rows.length > 0;
}

/** Lets another worker, or the next turn, claim it at once. */
export async function release(tx: Tx, companyId: number, { id, epoch }: BulkRow): Promise<void> {
  await tx.query(sql`
    update bulk_actions set lease_until = null
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} and status = 'running'`);
}
