import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, sql } from '../../../db/sql.ts';
import type { OpenOperations } from '../settling/facts.ts';
import { isOld, LEASE_MS, type NewOperation, type OperationRow, type OperationState } from './operation.ts';

const COLUMNS = rawSql(
  'o.id, o.payment_id, o.refund_id, o.kind, o.amount, o.input, o.state, o.claim, o.key, o.keyed_at, o.attempts, o.error, o.created_at',
);

/** When a worker calls an operation that the request that causes it has not called by then. */
const REQUEST_MS = 3_000;
/** Operations that a worker calls, unless they say that a request does. */
const BY_WORKERS: ReadonlySet<string> = new Set(['refund', 'charge', 'forget']);

/** Writes operations that are ready to be called. A payment has at most one cancellation under way. */
export async function insertOperations(
  tx: Tx,
  companyId: number,
  operations: readonly NewOperation[],
  now: Date,
): Promise<void> {
  const rows = operations.map(({ isAwaited, ...operation }) => {
    const isDue = isAwaited === undefined ? BY_WORKERS.has(operation.kind) : !isAwaited;
    return { ...operation, due_at: isDue ? now : new Date(now.getTime() + REQUEST_MS) };
  });
  await tx.query(sql`
    insert into payment_operations (company_id, payment_id, refund_id, kind, amount, input, state, claim, due_at, created_at, updated_at)
    select ${companyId}, n.payment_id, n.refund_id, n.kind, n.amount, n.input, 'ready', 0,
      n.due_at, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (payment_id bigint, refund_id bigint, kind text, amount bigint,
      input jsonb, due_at timestamptz)
    where n.kind <> 'cancel' or not exists (
      select from payment_operations e
      where e.company_id = ${companyId} and e.payment_id = n.payment_id and e.kind = 'cancel' and e.due_at is not null)`);
}

/** An operation that was taken, with the state in which it was. */
export interface TakenOperation extends OperationRow {
  was: 'ready' | 'calling' | 'uncertain';
}

/** The first operation of a payment that has not ended: an operation waits for those before it. */
const FIRST = rawSql(`not exists (
  select from payment_operations e
  where e.company_id = o.company_id and e.payment_id = o.payment_id and e.id < o.id and e.due_at is not null)`);

/** Takes the operation of a payment that is ready, if it has one. */
export async function takeReady(
  db: Queryable,
  companyId: number,
  paymentId: number,
  now: Date,
): Promise<TakenOperation | undefined> {
  const rows = await db.query<TakenOperation>(sql`
    with taken as (
      select o.id from payment_operations o
      where o.company_id = ${companyId} and o.payment_id = ${paymentId} and o.state = 'ready' and ${FIRST}
      order by o.id limit 1 for update skip locked
    )
    update payment_operations o set state = 'calling', claim = claim + 1, attempts = attempts + 1,
      keyed_at = coalesce(keyed_at, ${now}), due_at = ${new Date(now.getTime() + LEASE_MS)}, updated_at = ${now}
    from taken where o.company_id = ${companyId} and o.id = taken.id
    returning ${COLUMNS}, 'ready' as was`);
  return rows[0];
}

/** Takes operations that are due, those too whose lease has ended; the longest due first. */
export async function takeDue(tx: Tx, companyId: number, now: Date, limit: number): Promise<TakenOperation[]> {
  return tx.query<TakenOperation>(sql`
    with taken as (
      select o.id, o.state from payment_operations o
      where o.company_id = ${companyId} and o.due_at <= ${now} and ${FIRST}
      order by o.due_at, o.id limit ${limit} for update skip locked
    )
    update payment_operations o set state = 'calling', claim = claim + 1, attempts = attempts + 1,
      keyed_at = coalesce(keyed_at, ${now}), due_at = ${new Date(now.getTime() + LEASE_MS)}, updated_at = ${now}
    from taken where o.company_id = ${companyId} and o.id = taken.id
    returning ${COLUMNS}, taken.state as was`);
}

/** What becomes of an operation that was taken. */
export interface Ending {
  id: number;
  claim: number;
  state: Extract<OperationState, 'done' | 'declined' | 'uncertain'>;
  error: string | null;
  /** When an uncertain one is looked up. */
  dueAt: Date | null;
  /** Whether its idempotency key is of no use any more. */
  isSpent?: boolean;
}

/**
 * Returns false if somebody else has taken the operation since: then nothing may be written. Of what a payment began with, the saved method is
 * kept, because a repetition of the request may name another, and who charged it, because renewals are no attempts of the buyer.
 */
export async function endOperation(
  db: Queryable,
  companyId: number,
  { id, claim, state, error, dueAt, isSpent = false }: Ending,
  now: Date,
): Promise<boolean> {
  const rows = await db.query<{ id: number }>(sql`
    update payment_operations set state = ${state}, due_at = ${dueAt}, error = ${error}, updated_at = ${now},
      input = case when ${state} = 'uncertain' then input
        when kind in ('start', 'charge') and input -> 'saved_method_id' is not null
          then jsonb_strip_nulls(jsonb_build_object('saved_method_id', input -> 'saved_method_id', 'by', input -> 'by')) end,
      key = key + ${isSpent}::boolean::int, keyed_at = case when ${isSpent}::boolean then null else keyed_at end
    where company_id = ${companyId} and id = ${id} and claim = ${claim} and state = 'calling' returning id`);
  return rows.length > 0;
}

/** Begins a new idempotency key, because the service has forgotten the last. Returns false if somebody else has taken the operation. */
export async function renewKey(db: Queryable, companyId: number, operation: OperationRow, now: Date): Promise<boolean> {
  const rows = await db.query<{ id: number }>(sql`
    update payment_operations set key = key + 1, keyed_at = ${now}, updated_at = ${now}
    where company_id = ${companyId} and id = ${operation.id} and claim = ${operation.claim} and state = 'calling' returning id`);
  return rows.length > 0;
}

/** Returns the operations of a payment, oldest first. */
export async function findOperations(db: Queryable, companyId: number, paymentId: number): Promise<OperationRow[]> {
  return db.query<OperationRow>(sql`
    select ${COLUMNS} from payment_operations o
    where o.company_id = ${companyId} and o.payment_id = ${paymentId} order by o.id`);
}

/**
 * Returns those of the payments that a service was asked to cancel, and has not refused to: it may release an authorization in its own time.
 * `refused`: operations that it has refused just now.
 */
export async function findCancelling(
  db: Queryable,
  companyId: number,
  paymentIds: readonly number[],
  refused: readonly number[],
): Promise<number[]> {
  const rows = await db.query<{ payment_id: number }>(sql`
    select payment_id from payment_operations
    where company_id = ${companyId} and payment_id = any(${[...paymentIds]}::bigint[]) and kind = 'cancel' and state <> 'declined'
      and id <> all(${[...refused]}::bigint[])`);
  return rows.map((row) => row.payment_id);
}

/** Of a payment's operations, what has not ended at that time. */
export function openOperations(operations: readonly OperationRow[], now: Date): OpenOperations & { cancels: boolean } {
  const open = operations.filter(({ state }) => state !== 'done' && state !== 'declined');
  return {
    captures: open.filter(({ kind }) => kind === 'capture').reduce((sum, { amount }) => sum + amount, 0),
    refunds: open.filter(({ kind }) => kind === 'refund').map(({ id, amount }) => ({ id, amount })),
    // A worker that looks it up has taken it.
    isUncertain: open.some((one) => one.state !== 'ready' && isOld(one, now)),
    isCaptureDeclined: operations.findLast(({ kind }) => kind === 'capture')?.state === 'declined',
    cancels: open.some(({ kind }) => kind === 'cancel'),
  };
}

/** The first due time of each company, by one index look-up for each. */
const FIRST_DUE = rawSql(`first_due as (
  (select company_id, due_at from payment_operations where due_at is not null order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from payment_operations where due_at is not null and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`);
const FIRST_FETCH = rawSql(`first_fetch as (
  (select company_id, fetch_at from payments where fetch_at is not null order by company_id, fetch_at limit 1)
  union all
  select next.* from first_fetch cross join lateral (
    select company_id, fetch_at from payments where fetch_at is not null and company_id > first_fetch.company_id
    order by company_id, fetch_at limit 1) next
)`);

/** Returns companies with due operations or payments to fetch, the longest due first. */
export async function companiesWithDue(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive ${FIRST_DUE}, ${FIRST_FETCH}
    select company_id from (
      select company_id, due_at from first_due union all select company_id, fetch_at from first_fetch) d
    where due_at <= ${now} group by company_id order by min(due_at), company_id`);
  return rows.map((row) => row.company_id);
}

/** Returns the first time after `now` at which something is due. */
export async function nextDue(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}, ${FIRST_FETCH}
    select min(due_at) as due_at from (
      select next.due_at from first_due cross join lateral (
        select due_at from payment_operations o where o.company_id = first_due.company_id and o.due_at > ${now} order by due_at limit 1) next
      union all
      select next.fetch_at from first_fetch cross join lateral (
        select fetch_at from payments p where p.company_id = first_fetch.company_id and p.fetch_at > ${now} order by fetch_at limit 1) next
    ) d`);
  return rows[0]!.due_at;
}
