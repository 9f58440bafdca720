import type { KeysetPage } from '../../db/keyset-pages.ts';
import { countRows, pageOfKeys } from '../../db/lists.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { AppError } from '../../errors.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Minor } from '../money.ts';
import { type Attempt, MOST_ATTEMPTS } from './attempts.ts';
import { type Balance, type EntryKind, entryKey, isByHand, type LedgerEntry, type OrderBooks } from './books.ts';
import type { OperationRow } from './operations/operation.ts';
import { findOperations, insertOperations } from './operations/queries.ts';
import type { Attention, PaymentRow } from './payment.ts';
import { OPEN_STATUSES, type PaymentStatus } from './status.ts';

const COLUMNS =
  rawSql(`id, cart_id, order_id, method_id, provider, account_id, mode, provider_ref, label, amount, authorized, captured, refunded,
  disputed, dispute_due_by, capture_pending, refund_pending, authorized_until, status, failure, declines, next_action, attention, wrong,
  fetch_at, fetches, reference, due_on::text, created_at, updated_at`);

/** The columns that change after a payment was inserted. */
const CHANGING =
  `order_id provider_ref amount authorized captured refunded disputed dispute_due_by capture_pending refund_pending authorized_until
  status failure declines next_action attention wrong fetch_at fetches updated_at`.split(/\s+/);
const CHANGES = rawSql(CHANGING.map((name) => `${name} = excluded.${name}`).join(', '));

/**
 * Inserts payments, or sets what can change of those that exist. Throws payment_method_unavailable if an account has been deleted since its
 * shop's configuration was read, and payment_in_progress if another payment of the cart has not ended.
 */
export async function savePayments(tx: Tx, companyId: number, payments: readonly PaymentRow[]): Promise<void> {
  try {
    await writePayments(tx, companyId, payments);
  } catch (error) {
    const { constraint } = error as { constraint?: string };
    // Money of a wrong amount may be held for a cart that is open.
    if (constraint === 'payments_open')
      throw new AppError('payment_in_progress', 'A payment by a service has not ended');
    if (constraint !== 'payments_account_fkey') throw error;
    const { method_id } = payments.find(({ account_id }) => account_id !== null)!;
    throw new AppError('payment_method_unavailable', 'The payment account of the method has been deleted', {
      method_id,
    });
  }
}

async function writePayments(tx: Tx, companyId: number, payments: readonly PaymentRow[]): Promise<void> {
  await tx.query(sql`
    insert into payments (company_id, id, cart_id, order_id, method_id, provider, account_id, mode, provider_ref, label, amount,
      authorized, captured, refunded, disputed, dispute_due_by, capture_pending, refund_pending, authorized_until, status, failure,
      declines, next_action, attention, wrong, fetch_at, fetches, reference, due_on, created_at, updated_at)
    overriding system value
    select ${companyId}, p.* from json_to_recordset(${JSON.stringify(payments)}::json) as p (id bigint, cart_id bigint,
      order_id bigint, method_id bigint, provider text, account_id bigint, mode text, provider_ref text, label text, amount bigint,
      authorized bigint, captured bigint, refunded bigint, disputed bigint, dispute_due_by timestamptz, capture_pending bigint, refund_pending bigint,
      authorized_until timestamptz, status text, failure jsonb, declines smallint, next_action text, attention text, wrong boolean, fetch_at timestamptz,
      fetches smallint, reference text, due_on date, created_at timestamptz, updated_at timestamptz)
    on conflict (company_id, id) do update set ${CHANGES}`);
}

/** Writes what changed in the books of orders, which the caller has locked. */
export function saveBooks(tx: Tx, companyId: number, books: readonly OrderBooks[]): Promise<unknown>[] {
  if (books.length === 0) return [];
  const operations = books.flatMap((one) => one.operations);
  const payments = books.flatMap(({ changed }) => [...changed]);
  const entries = books.flatMap((one) => one.entries);
  const balances = books.map((one) => ({ order_id: one.orderId, ...one.balance }));
  return [
    ...(payments.length > 0 ? [savePayments(tx, companyId, payments)] : []),
    ...(entries.length > 0 ? [insertEntries(tx, companyId, entries)] : []),
    saveBalances(tx, companyId, balances),
    ...(operations.length > 0 ? [insertOperations(tx, companyId, operations, books[0]!.now)] : []),
  ];
}

async function insertEntries(tx: Tx, companyId: number, entries: readonly LedgerEntry[]): Promise<void> {
  await tx.query(sql`
    insert into order_ledger (company_id, order_id, kind, amount, payment_id, refund_id, cause, reference, received_on, actor,
      created_at)
    select ${companyId}, e.* from json_to_recordset(${JSON.stringify(entries)}::json) as e (order_id bigint, kind text,
      amount bigint, payment_id bigint, refund_id bigint, cause text, reference text, received_on date, actor text,
      created_at timestamptz)`);
}

async function saveBalances(
  tx: Tx,
  companyId: number,
  balances: readonly (Balance & { order_id: number })[],
): Promise<void> {
  await tx.query(sql`
    insert into order_balances (company_id, order_id, charged, paid, refunded, payment_status)
    select ${companyId}, b.* from json_to_recordset(${JSON.stringify(balances)}::json) as b (order_id bigint, charged bigint,
      paid bigint, refunded bigint, payment_status text)
    on conflict (company_id, order_id) do update set charged = excluded.charged, paid = excluded.paid,
      refunded = excluded.refunded, payment_status = excluded.payment_status`);
}

/** Locks the payments of an order that the caller has locked; returns them with the sums of its ledger, null without one. */
export async function lockBooks(
  tx: Tx,
  companyId: number,
  orderId: number,
): Promise<{ payments: PaymentRow[]; balance: Balance | null }> {
  const [payments, [balance = null]] = await Promise.all([
    tx.query<PaymentRow>(sql`
      select ${COLUMNS} from payments where company_id = ${companyId} and order_id = ${orderId} order by id for update`),
    tx.query<Balance>(sql`
      select charged, paid, refunded, payment_status from order_balances
      where company_id = ${companyId} and order_id = ${orderId}`),
  ]);
  return { payments, balance };
}

/** Draws the id of a new payment. */
export async function drawPaymentId(db: Queryable): Promise<number> {
  return (await drawPaymentIds(db, 1))[0]!;
}

/** Draws the ids of new payments. */
export async function drawPaymentIds(db: Queryable, count: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select nextval('payments_id_seq') as id from generate_series(1, ${count}::int)`);
  return rows.map(({ id }) => id);
}

/** Returns the payments that are under way for carts without an order, by cart. */
export async function findPaymentsOfCarts(
  db: Queryable,
  companyId: number,
  cartIds: readonly number[],
): Promise<Map<number, PaymentRow>> {
  if (cartIds.length === 0) return new Map();
  const rows = await db.query<PaymentRow & { cart_id: number }>(sql`
    select ${COLUMNS} from payments
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[]) and order_id is null
      and status = any(${[...OPEN_STATUSES]}::text[])`);
  return new Map(rows.map((row) => [row.cart_id, row]));
}

/** Returns the newest payment of a cart. */
export async function findNewest(
  db: Queryable,
  companyId: number,
  cartId: number,
): Promise<{ status: PaymentStatus; declines: number } | undefined> {
  const [newest] = await db.query<{ status: PaymentStatus; declines: number }>(sql`
    select status, declines from payments where company_id = ${companyId} and cart_id = ${cartId} order by id desc limit 1`);
  return newest;
}

/** Returns the last attempts to pay a cart by services, oldest first, without the charges of renewals, unless staff made them. */
export async function findAttempts(db: Queryable, companyId: number, cartId: number): Promise<Attempt[]> {
  const rows = await db.query<Attempt>(sql`
    select p.id, p.provider, p.status, p.method_id, p.declines, p.updated_at from payments p
    where p.company_id = ${companyId} and p.cart_id = ${cartId} and p.provider <> 'manual' and not exists (
      select from payment_operations o join carts c on c.company_id = o.company_id and c.id = p.cart_id
      where o.company_id = p.company_id and o.payment_id = p.id and o.kind = 'charge' and c.subscription_id is not null
        and o.input ->> 'by' is distinct from 'staff')
    order by p.id desc limit ${MOST_ATTEMPTS}`);
  return rows.toReversed();
}

/** Locks payments, whose carts or orders the caller has locked. */
export async function lockPayments(tx: Queryable, companyId: number, ids: readonly number[]): Promise<PaymentRow[]> {
  return tx.query<PaymentRow>(sql`
    select ${COLUMNS} from payments where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) order by id for update`);
}

/** Returns what is known of a payment of an order besides its row. */
export async function findHistory(
  db: Queryable,
  companyId: number,
  { id, order_id }: PaymentRow,
): Promise<{ entered: Set<string>; byHand: Minor; operations: OperationRow[] }> {
  const [entries, operations] = await Promise.all([
    order_id === null
      ? []
      : db.query<{ kind: EntryKind; cause: string; amount: Minor }>(sql`
        select kind, cause, amount from order_ledger
        where company_id = ${companyId} and order_id = ${order_id} and payment_id = ${id}`),
    findOperations(db, companyId, id),
  ]);
  const byHand = entries.filter(({ kind, cause }) => kind === 'refund' && isByHand(cause));
  return {
    entered: new Set(entries.map(({ kind, cause }) => entryKey(kind, cause))),
    byHand: byHand.reduce((sum, { amount }) => sum - amount, 0),
    operations,
  };
}

/** Somebody should look at a payment: its service has not said for long what became of an operation. */
export async function markUncertain(db: Queryable, companyId: number, id: number): Promise<void> {
  await db.query(sql`
    update payments set attention = 'uncertain' where company_id = ${companyId} and id = ${id} and attention is null`);
}

/** Has a payment that is marked so fetched, which tells whether it stays so. */
export async function fetchUncertain(db: Queryable, companyId: number, id: number, now: Date): Promise<void> {
  await db.query(sql`
    update payments set fetch_at = ${now}
    where company_id = ${companyId} and id = ${id} and attention = 'uncertain' and provider_ref is not null`);
}

/** Counts by company the payments of which a service does not say what became of an operation. */
export async function countUncertain(db: Queryable): Promise<{ company_id: number; n: number }[]> {
  return db.query<{ company_id: number; n: number }>(sql`
    select c.company_id, u.n from companies c, lateral (
      select count(*) as n from payments p where p.company_id = c.company_id and p.attention = 'uncertain') u
    where u.n > 0 order by 1`);
}

/** The same for the whole installation; nothing if there are none. */
export async function uncertainEverywhere(db: Queryable): Promise<{ attention: Attention; payments: number }[]> {
  const payments = (await countUncertain(db)).reduce((sum, { n }) => sum + n, 0);
  return payments === 0 ? [] : [{ attention: 'uncertain', payments }];
}

/** Takes payments whose fetch is due; another fetch is not due before `until`. */
export async function takeFetches(
  tx: Tx,
  companyId: number,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<{ id: number }[]> {
  return tx.query<{ id: number }>(sql`
    update payments set fetch_at = ${until}
    where company_id = ${companyId} and id = any(array(
      select id from payments where company_id = ${companyId} and fetch_at <= ${now}
      order by fetch_at limit ${limit} for update skip locked))
    returning id`);
}

/** How long after a fetch that has failed the next is made, at most: of payments under way, and of those that have ended. */
const MOST_WAIT = { open: '1 hour', ended: '6 hours' } as const;

/**
 * A fetch that was to be made again at `until` has failed: the next is made after as long again as nothing has been heard of the payment, unless
 * a webhook came since. One that ended half a year ago is fetched no more.
 */
export async function postponeFetch(
  db: Queryable,
  companyId: number,
  id: number,
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  await db.query(sql`
    update payments set fetch_at = case
      when status = any(${[...OPEN_STATUSES]}::text[]) or refund_pending > 0
        then greatest(${until}::timestamptz, ${now}::timestamptz + least(${now}::timestamptz - updated_at, ${MOST_WAIT.open}::interval))
      when created_at > ${now}::timestamptz - interval '180 days'
        then greatest(${until}::timestamptz, ${now}::timestamptz + least(${now}::timestamptz - updated_at, ${MOST_WAIT.ended}::interval))
      end
    where company_id = ${companyId} and id = ${id} and fetch_at = ${until}`);
}

/** Sets when a payment is fetched next. Returns false if it was settled since it was `before`, or a webhook came. */
export async function planFetch(
  db: Queryable,
  companyId: number,
  { id, fetch_at, fetches }: Pick<PaymentRow, 'id' | 'fetch_at' | 'fetches'>,
  before: Pick<PaymentRow, 'fetch_at' | 'fetches'>,
): Promise<boolean> {
  const rows = await db.query<{ id: number }>(sql`
    update payments set fetch_at = ${fetch_at}, fetches = ${fetches}
    where company_id = ${companyId} and id = ${id} and fetches = ${before.fetches}
      and fetch_at is not distinct from ${before.fetch_at}::timestamptz returning id`);
  return rows.length > 0;
}

/**
 * Stores a webhook, and makes the payment that it is about due to be fetched. Returns false if it was stored before, or is about no payment
 * that is known.
 */
export async function noteWebhook(
  db: Queryable,
  companyId: number,
  { accountId, dedupeKey, ref }: { accountId: number; dedupeKey: string; ref: string | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.query<{ id: number }>(sql`
    with stored as (
      insert into payment_webhook_events (company_id, account_id, dedupe_key, ref, received_at)
      values (${companyId}, ${accountId}, ${dedupeKey}, ${ref}, ${now})
      on conflict do nothing returning ref
    )
    update payments p set fetch_at = ${now} from stored s
    where p.company_id = ${companyId} and p.account_id = ${accountId} and p.provider_ref = s.ref returning p.id`);
  return rows.length > 0;
}

/** Returns the payments of an order, oldest first. */
export async function findPaymentsOfOrder(db: Queryable, companyId: number, orderId: number): Promise<PaymentRow[]> {
  return db.query<PaymentRow>(sql`
    select ${COLUMNS} from payments where company_id = ${companyId} and order_id = ${orderId} order by id`);
}

export async function findPayment(db: Queryable, companyId: number, id: number): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>(sql`
    select ${COLUMNS} from payments where company_id = ${companyId} and id = ${id}`);
  return row;
}

/** Returns payments by id. */
export async function findPayments(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<Map<number, PaymentRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<PaymentRow>(sql`
    select ${COLUMNS} from payments where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

interface PaymentFilters {
  status: PaymentStatus | null;
  orderId: number | null;
  /** `YYYY-MM-DD`. */
  dueBefore: string | null;
  provider: PaymentRow['provider'] | null;
  attention: Attention | 'any' | null;
  /** Of authorizations. */
  endsBefore: Date | null;
}

/** Newest first. */
export async function listPayments(
  db: Queryable,
  companyId: number,
  { status, orderId, dueBefore, provider, attention, endsBefore }: PaymentFilters,
  page: PageBounds,
): Promise<{ rows: PaymentRow[]; total: number }> {
  const from: Statement = sql`from payments where company_id = ${companyId}
    ${status === null ? emptySql : sql`and status = ${status}`} ${orderId === null ? emptySql : sql`and order_id = ${orderId}`}
    ${dueBefore === null ? emptySql : sql`and due_on < ${dueBefore}::date`}
    ${provider === null ? emptySql : sql`and provider = ${provider}`}
    ${attention === null ? emptySql : sql`and attention is not null`}
    ${attention === null || attention === 'any' ? emptySql : sql`and attention = ${attention}`}
    ${endsBefore === null ? emptySql : sql`and status = 'authorized' and authorized_until < ${endsBefore}`}`;
  const [[counted], rows] = await Promise.all([
    db.query<{ total: number }>(countRows(from)),
    db.query<PaymentRow>(sql`
      select ${COLUMNS} from payments
      where company_id = ${companyId} and id = any(array(${pageOfKeys(sql`select id ${from} order by id desc`, page)}))
      order by id desc`),
  ]);
  return { rows, total: counted!.total };
}

export type EntryRow = LedgerEntry & { id: number };

/** Returns the ledger of an order, oldest first. */
export async function findLedger(db: Queryable, companyId: number, orderId: number): Promise<EntryRow[]> {
  return db.query<EntryRow>(sql`
    select id, order_id, kind, amount, payment_id, refund_id, cause, reference, received_on::text, actor, created_at
    from order_ledger where company_id = ${companyId} and order_id = ${orderId} order by id`);
}

/** Selects the ledgers of a customer's orders, for `keysetPages`. */
export function ledgerOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select l.id, json_build_object('order_id', l.order_id, 'kind', l.kind, 'amount', l.amount, 'reference', l.reference,
      'received_on', l.received_on, 'created_at', to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from orders o join order_ledger l on l.company_id = o.company_id and l.order_id = o.id
    where o.company_id = ${companyId} and o.customer_id = ${customerId} and l.id > ${after}
    order by l.id limit ${limit}`;
}

/** Cancels the payments by manual methods that are awaited for carts without an order. */
export async function cancelPayments(tx: Tx, companyId: number, cartIds: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`
    update payments set status = 'cancelled', updated_at = ${now}
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[]) and order_id is null
      and provider = 'manual' and status = 'action_required'`);
}
