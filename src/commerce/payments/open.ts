import type { Tx } from '../../db/pool.ts';
import type { Minor } from '../money.ts';
import type { Shop } from '../shop.ts';
import { OrderBooks } from './books.ts';
import { lockBooks } from './queries.ts';

/** Opens the books of an order that the caller has locked. */
export async function openBooks(
  tx: Tx,
  { companyId, timeZone }: Shop,
  order: { id: number; total: Minor },
  { actor, now }: { actor: string; now: Date },
): Promise<OrderBooks> {
  return new OrderBooks(order, await lockBooks(tx, companyId, order.id), { timeZone, actor, now });
}
