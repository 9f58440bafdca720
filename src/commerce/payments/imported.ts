import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Minor } from '../money.ts';
import type { OrderStatus } from '../orders/status.ts';
import type { Shop } from '../shop.ts';
import { type Balance, ELSEWHERE, OrderBooks } from './books.ts';
import type { PaymentMethod } from './methods/method.ts';
import { findImportedMethod, importedMethod } from './methods/queries.ts';
import type { PaymentRow } from './payment.ts';
import { drawPaymentIds, lockBooks, saveBooks } from './queries.ts';
import { divide } from './refunds/shares.ts';
import { OPEN_STATUSES } from './status.ts';

/** What a file says of the money of an order that another system took, all of it so far. */
export interface ImportedMoney {
  /** Of the order, before refunds. */
  total: Minor;
  /** Above 0. */
  paid: Minor;
  /** At most `paid`. */
  refunded: Minor;
  /** How and under which number the buyer paid there. */
  reference: string | null;
  /** `YYYY-MM-DD`. */
  paidOn: string | null;
}

/** An order that an import made, with what imports have entered of its money. */
export interface KnownMoney {
  id: number;
  external_id: string;
  status: OrderStatus;
  total: Minor;
  paid: Minor;
  refunded: Minor;
  /** What is left of the imported payments. */
  refundable: Minor;
  /** Whether money was received here, or is awaited. */
  is_paid_here: boolean;
}

/** What the ledger of a known order lacks of what a file says, or why it cannot be entered. */
export type MoneyChange =
  | { is: 'none' }
  | { is: 'added'; paid: Minor; refunded: Minor }
  | {
      is: 'refused';
      field: 'paid' | 'refunded';
      reason: 'less_paid' | 'less_refunded' | 'paid_here' | 'refunded_here';
    };

/** Compares what a file says with what imports have entered before. Amounts only grow. */
export function changeOf(known: KnownMoney, money: ImportedMoney | null): MoneyChange {
  if (money === null) return { is: 'none' };
  const [paid, refunded] = [money.paid - known.paid, money.refunded - known.refunded];
  if (paid < 0) return { is: 'refused', field: 'paid', reason: 'less_paid' };
  if (refunded < 0) return { is: 'refused', field: 'refunded', reason: 'less_refunded' };
  if (paid > 0 && known.is_paid_here) return { is: 'refused', field: 'paid', reason: 'paid_here' };
  if (refunded > known.refundable + paid) return { is: 'refused', field: 'refunded', reason: 'refunded_here' };
  return paid === 0 && refunded === 0 ? { is: 'none' } : { is: 'added', paid, refunded };
}

/** Returns the orders with these external ids that imports made, by external id. */
export async function findKnownMoney(
  db: Queryable,
  companyId: number,
  externalIds: readonly string[],
): Promise<Map<string, KnownMoney>> {
  if (externalIds.length === 0) return new Map();
  const method = await findImportedMethod(db, companyId);
  const rows = await db.query<KnownMoney>(sql`
    select o.id, o.external_id, o.status, o.total, p.paid, p.refundable, p.is_paid_here, coalesce((
      select -sum(l.amount) from order_ledger l
      where l.company_id = o.company_id and l.order_id = o.id and l.kind = 'refund' and starts_with(l.cause, ${ELSEWHERE})
    ), 0)::bigint as refunded
    from orders o cross join lateral (
      select coalesce(sum(captured) filter (where i.is_imported), 0)::bigint as paid,
        coalesce(sum(captured - refunded) filter (where i.is_imported), 0)::bigint as refundable,
        coalesce(bool_or(not i.is_imported and (captured > 0 or status = any(${[...OPEN_STATUSES]}::text[]))), false) as is_paid_here
      from payments p cross join lateral (select p.method_id = ${method?.id ?? 0} as is_imported) i
      where p.company_id = o.company_id and p.order_id = o.id
    ) p
    where o.company_id = ${companyId} and o.external_id = any(${[...externalIds]}::text[]) and o.imported`);
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** The state of an order's money before an import added to it, as an undo needs it. */
export interface MoneyBefore {
  balance: Balance | null;
  payments: (Pick<PaymentRow, 'id' | 'refunded' | 'status'> & { updated_at: Date | string })[];
}

interface Writer {
  actor: string;
  now: Date;
}

/** Begins the ledgers of orders that an import has just made. Raises no event. */
export async function enterImported(
  tx: Tx,
  shop: Shop,
  orders: readonly { order: { id: number; total: Minor; status: OrderStatus }; money: ImportedMoney }[],
  by: Writer,
): Promise<void> {
  if (orders.length === 0) return;
  const method = await importedMethod(tx, shop, by.now);
  const ids = await drawPaymentIds(tx, orders.length);
  const books = orders.map(({ order, money }, i) => {
    const one = booksOf(shop, order, null, by);
    enter(one, { method, money, known: { total: order.total, paid: 0, refunded: 0 }, newId: ids[i]! });
    return one;
  });
  await Promise.all(saveBooks(tx, shop.companyId, books));
}

/**
 * Adds what is new in a file to orders that an import made before. Takes only free locks, because the caller has those of customers and
 * stock. Raises no event. Returns by external id what became of each, with the state before; an order that another transaction has is absent.
 */
export async function addImported(
  tx: Tx,
  shop: Shop,
  given: ReadonlyMap<string, { id: number; money: ImportedMoney }>,
  by: Writer,
): Promise<Map<string, { id: number; change: MoneyChange; before: MoneyBefore | null }>> {
  const { companyId } = shop;
  const done = new Map<string, { id: number; change: MoneyChange; before: MoneyBefore | null }>();
  if (given.size === 0) return done;
  const locked = await lockFree(
    tx,
    companyId,
    [...given.values()].map(({ id }) => id),
  );
  const known = await findKnownMoney(tx, companyId, [...given.keys()]);
  const method = await importedMethod(tx, shop, by.now);
  const ids = await drawPaymentIds(tx, given.size);
  const changed: OrderBooks[] = [];
  for (const order of [...known.values()].sort((a, b) => a.id - b.id)) {
    if (!locked.has(order.id)) continue;
    const { id, external_id } = order;
    const { money } = given.get(external_id)!;
    const change = changeOf(order, money);
    if (change.is !== 'added') {
      done.set(external_id, { id, change, before: null });
      continue;
    }
    const kept = await lockBooks(tx, companyId, id);
    const payments = kept.payments.map(({ id, refunded, status, updated_at }) => ({
      id,
      refunded,
      status,
      updated_at,
    }));
    done.set(external_id, { id, change, before: { balance: kept.balance, payments } });
    const books = booksOf(shop, order, kept, by);
    enter(books, { method, money: { ...money, reference: null }, known: order, newId: ids.pop()! });
    changed.push(books);
  }
  await Promise.all(saveBooks(tx, companyId, changed));
  return done;
}

/** Locks the orders that no other transaction has; returns their ids. */
async function lockFree(tx: Tx, companyId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from orders where company_id = ${companyId} and id = any(${[...ids]}::bigint[])
    order by id for update skip locked`);
  return new Set(rows.map(({ id }) => id));
}

/** An order that is cancelled is charged nothing, also if its ledger begins now. */
function booksOf(
  { timeZone, currency }: Shop,
  order: { id: number; total: Minor; status: OrderStatus },
  kept: { payments: readonly PaymentRow[]; balance: Balance | null } | null,
  { actor, now }: Writer,
): OrderBooks {
  const books = new OrderBooks(order, kept, { timeZone, currency, accounts: [], actor, now });
  if (order.status === 'cancelled') books.chargeNothing();
  return books;
}

/**
 * Enters what is new. A refund that the order's total lacks already, because the import lowered it, is not credited once more.
 */
function enter(
  books: OrderBooks,
  {
    method,
    money,
    known,
    newId,
  }: {
    method: PaymentMethod;
    money: ImportedMoney;
    known: Pick<KnownMoney, 'total' | 'paid' | 'refunded'>;
    newId: number;
  },
): void {
  const { reference, paidOn: receivedOn } = money;
  const amount = money.paid - known.paid;
  if (amount > 0) books.receive({ method, amount, reference, receivedOn }, newId);
  const refunded = money.refunded - known.refunded;
  if (refunded === 0) return;
  const lowered = Math.max(0, money.total - known.total);
  const credit = Math.max(0, money.refunded - lowered) - Math.max(0, known.refunded - lowered);
  const parts = divide(
    refunded,
    books.payments.filter(({ method_id }) => method_id === method.id),
  );
  books.refundElsewhere(parts!, { total: money.refunded, credit });
}

/** Returns those of the orders that have money other than what the import that began at `stamp` entered, or a payment that has changed since. */
export async function findOtherMoney(
  tx: Tx,
  companyId: number,
  orderIds: readonly number[],
  stamp: Date,
): Promise<Set<number>> {
  const method = await findImportedMethod(tx, companyId);
  const rows = await tx.query<{ order_id: number }>(sql`
    select order_id from order_ledger
    where company_id = ${companyId} and order_id = any(${[...orderIds]}::bigint[])
      and (created_at <> ${stamp} or refund_id is not null)
    union
    select order_id from payments
    where company_id = ${companyId} and order_id = any(${[...orderIds]}::bigint[])
      and (created_at <> ${stamp} or updated_at <> ${stamp} or method_id <> ${method?.id ?? 0})`);
  return new Set(rows.map(({ order_id }) => order_id));
}

/** Removes all money of orders that are removed. */
export async function removeLedgers(tx: Tx, companyId: number, orderIds: readonly number[]): Promise<void> {
  if (orderIds.length === 0) return;
  const ids = [...orderIds];
  await removeEntries(tx, async () => {
    await tx.query(sql`
      delete from order_ledger where company_id = ${companyId} and order_id = any(${ids}::bigint[])`);
  });
  await Promise.all([
    tx.query(sql`delete from order_balances where company_id = ${companyId} and order_id = any(${ids}::bigint[])`),
    tx.query(sql`delete from payments where company_id = ${companyId} and order_id = any(${ids}::bigint[])`),
  ]);
}

/**
 * Takes back what an import that began at `stamp` added to the money of an order that was there before. Returns false, and changes nothing, if
 * the money has changed since.
 */
export async function restoreImportedMoney(
  tx: Tx,
  companyId: number,
  { id, before, stamp }: { id: number; before: MoneyBefore; stamp: Date },
): Promise<boolean> {
  await tx.query(sql`select from orders where company_id = ${companyId} and id = ${id} for update`);
  const [{ payments }, method] = await Promise.all([lockBooks(tx, companyId, id), findImportedMethod(tx, companyId)]);
  const known = new Set(before.payments.map((payment) => payment.id));
  const isOther = (one: PaymentRow): boolean => !known.has(one.id) && one.method_id !== method?.id;
  if (payments.some((one) => one.updated_at > stamp || isOther(one))) return false;
  const [later] = await tx.query(sql`
    select from order_ledger l
    where l.company_id = ${companyId} and l.order_id = ${id} and (l.created_at <> ${stamp} or l.refund_id is not null) and l.id > (
      select min(m.id) from order_ledger m
      where m.company_id = ${companyId} and m.order_id = ${id} and m.created_at = ${stamp})
    limit 1`);
  if (later !== undefined) return false;
  await removeEntries(tx, async () => {
    await tx.query(sql`
      delete from order_ledger where company_id = ${companyId} and order_id = ${id} and created_at = ${stamp}`);
  });
  await tx.query(sql`
    delete from payments where company_id = ${companyId} and order_id = ${id} and created_at = ${stamp}`);
  await tx.query(sql`
    update payments p set refunded = b.refunded, status = b.status, updated_at = b.updated_at
    from json_to_recordset(${JSON.stringify(before.payments)}::json) as b (id bigint, refunded bigint, status text,
      updated_at timestamptz)
    where p.company_id = ${companyId} and p.order_id = ${id} and p.id = b.id`);
  if (before.balance === null) {
    await tx.query(sql`delete from order_balances where company_id = ${companyId} and order_id = ${id}`);
  } else {
    const { charged, paid, refunded, payment_status } = before.balance;
    await tx.query(sql`
      update order_balances set charged = ${charged}, paid = ${paid}, refunded = ${refunded},
        payment_status = ${payment_status}
      where company_id = ${companyId} and order_id = ${id}`);
  }
  return true;
}

/** Lets `remove` delete lines of ledgers, which are otherwise never deleted. */
async function removeEntries(tx: Tx, remove: () => Promise<void>): Promise<void> {
  await tx.query(sql`select set_config('tradeloom.undoing_import', 'on', true)`);
  await remove();
  await tx.query(sql`select set_config('tradeloom.undoing_import', 'off', true)`);
}
