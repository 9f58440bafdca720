import type { Tx } from '../../db/pool.ts';
import type { Minor } from '../money.ts';
import type { OrderStatus } from '../orders/status.ts';
import type { Shop } from '../shop.ts';
import { OrderBooks } from './books.ts';
import { lockBooks } from './queries.ts';

/** Opens the books of an order that the caller has locked. One that is cancelled is charged nothing, also if its ledger begins now. */
export async function openBooks(
  tx: Tx,
  { companyId, timeZone, currency, paymentAccounts: accounts }: Shop,
  order: { id: number; total: Minor; status: OrderStatus },
  { actor, now }: { actor: string; now: Date },
): Promise<OrderBooks> {
  const kept = await lockBooks(tx, companyId, order.id);
  const books = new OrderBooks(order, kept, { timeZone, currency, accounts, actor, now });
  if (order.status === 'cancelled') books.chargeNothing();
  return books;
}
