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
/** A worker that says nothing for so long has died. */
const LEASE = rawSql("interval '30 seconds'");
const MOST_REFUSALS = 100;

/** What an action is given beside the filters. */
export interface BulkInput {
  tag?: string;
  /** The action that is taken back, and whether it added the tag or took it away. */
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

/** Of two that begin at the same moment the second waits, and sees the first. */
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

/** Ends a running one; undefined where it runs no more. */
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

/** Companies with an action that a worker may take, by the database's time. */
export async function companiesWithWork(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select distinct company_id from bulk_actions
    where status = 'running' and (lease_until is null or lease_until < clock_timestamp())
    order by company_id limit 1000`);
  return rows.map((row) => row.company_id);
}

/** Takes the company's oldest action that nobody holds. */
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

/** Records that are done with, up to the id `position`. */
export interface Step {
  position: number;
  changed: number;
  refused: { id: number; message: string }[];
}

/**
 * Counts records, in the transaction that changed them. False where another worker holds the action now, or it was cancelled:
 * then nothing of the transaction may be committed.
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

/** Lets another worker, or the next turn, take it at once. */
export async function release(tx: Tx, companyId: number, { id, epoch }: BulkRow): Promise<void> {
  await tx.query(sql`
    update bulk_actions set lease_until = null
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} and status = 'running'`);
}
