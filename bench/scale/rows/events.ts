import { createRandom } from '../random.ts';
import { type FilledShop, momentOf, type Span, stamp } from '../shop.ts';
import { ordersOf } from './orders.ts';

export const EVENT_COLUMNS = [
  ...[
    'company_id',
    'event_id',
    'received_at',
    'occurred_at',
    'contact_id',
    'event_type',
    'source',
    'external_id',
    'data',
  ],
];

const CATEGORIES = ['tea', 'coffee', 'cups', 'kettles', 'books', 'gifts', 'honey', 'spices'];

/** Views and carts, and among them `order_placed` of each order of the span with its customer, moment and total. */
export function* eventLines(shop: FilledShop, span: Span, firstId: number, firstOrder: number): Generator<string> {
  const { companyId, contacts, products, seed } = shop;
  const random = createRandom(`${seed}:events:${span.from.toISOString()}`);
  const orders = ordersOf(shop, span);
  let order = orders.next().value;
  const active = Math.max(1, Math.floor(contacts.count / 10));
  for (let k = 0; k < span.events; k++) {
    const ms = momentOf(span, k, span.events);
    const at = stamp(ms);
    const id = `${companyId}\t${firstId + k}\t${at}`;
    if (order && (order.at <= ms || span.events - k <= span.orders - order.index)) {
      const { index, customer, subtotal, shipping, lines } = order;
      const items = lines.map(
        ({ product, qty }) =>
          `{"product_id": "${products.first + product}", "quantity": ${qty}, "category": "${CATEGORIES[product % 8]}"}`,
      );
      yield `${id}\t${stamp(order.at)}\t${contacts.first + customer}\torder_placed\tshop\torder-${firstOrder + index}\t{"order_id": "${firstOrder + index}", "total": ${(subtotal + shipping) / 100}, "items": [${items.join(', ')}]}\n`;
      order = orders.next().value;
      continue;
    }
    const draw = random();
    const contact = contacts.first + Math.floor(random() * (draw < 0.5 ? active : contacts.count));
    const product = Math.floor(random() * products.count);
    const type = k % 20 === 3 ? 'cart_abandoned' : 'product_viewed';
    yield `${id}\t${at}\t${contact}\t${type}\tapi\tv${firstId + k}\t{"product_id": "${products.first + product}", "product_name": "Product ${product}"}\n`;
  }
}
