import type { Shop } from '../shop.ts';
import { MAX_LINES, MAX_QTY } from './contract.ts';
import type { CartLine, CartValues } from './row.ts';

/**
 * Adds the lines of a guest's cart to the customer's, whose own prices and promo code win: by `cart_merge`, the larger quantity of a
 * product in both counts, or the sum. What passes the limits of a cart is left out.
 */
export function mergeCarts(own: CartValues, guest: CartValues, { checkout }: Pick<Shop, 'checkout'>): CartValues {
  const lines = own.lines.map((line) => ({ ...line }));
  let lastId = own.last_line_id;
  for (const line of guest.lines) {
    const same = lines.find(({ product_id }) => product_id === line.product_id);
    if (same !== undefined) {
      const qty = checkout.cart_merge === 'add' ? same.qty + line.qty : Math.max(same.qty, line.qty);
      same.qty = Math.min(qty, MAX_QTY);
    } else if (lines.length < MAX_LINES) {
      lastId += 1;
      const added: CartLine = { ...line, id: lastId };
      lines.push(added);
    }
  }
  return { ...own, lines, last_line_id: lastId, promo_code: own.promo_code ?? guest.promo_code };
}
