import { createRandom } from '../random.ts';
import type { Row } from '../row.ts';
import { momentOf, type SpanOfShop } from '../shop.ts';
import { ordersOf } from './orders.ts';

export const EVENT_COLUMNS = [
  ...['company_id', 'event_id', 'received_at', 'occurred_at', 'contact_id'],
  ...['event_type', 'source', 'external_id', 'data'],
];
/** In sort order. */
export const EVENT_TYPES = ['cart_abandoned', 'order_placed', 'product_viewed'] as const;

const CATEGORIES = ['tea', 'coffee', 'cups', 'kettles', 'books', 'gifts', 'honey', 'spices'];

/** Called for the totals with the contact's index, the time of the event, and the hundredths of an amount. */
export type SeeEvent = (type: (typeof EVENT_TYPES)[number], contact: number, at: number, hundredths: number) => void;

/** Views and carts, interleaved with an `order_placed` for each order of the span with its customer, time and total. */
export function* eventRows(row: Row, { shop, span, ids }: SpanOfShop, see?: SeeEvent): Generator<void> {
  const { companyId, contacts, products, seed } = shop;
  const random = createRandom(`${seed}:events:${span.from.toISOString()}`);
  const orders = ordersOf(shop, span);
  let order = orders.next().value;
  const active = Math.max(1, Math.floor(contacts.count / 10));
  for (let k = 0; k < span.events; k++) {
    const ms = momentOf(span, k, span.events);
    row
      .int8(companyId)
      .int8(ids.events + k)
      .timestamptz(ms);
    if (order && (order.at <= ms || span.events - k <= span.orders - order.index)) {
      const { index, customer, subtotal, shipping, lines } = order;
      const id = ids.orders + index;
      const items = lines.map(
        ({ product, qty }) =>
          `{"product_id": "${products.first + product}", "quantity": ${qty}, "category": "${CATEGORIES[product % 8]}"}`,
      );
      row.timestamptz(order.at).int8(contacts.first + customer);
      row.text('order_placed').text('shop').text(`order-${id}`);
      row.jsonb(`{"order_id": "${id}", "total": ${(subtotal + shipping) / 100}, "items": [${items.join(', ')}]}`);
      see?.('order_placed', customer, order.at, subtotal + shipping);
      order = orders.next().value;
      yield;
      continue;
    }
    const draw = random();
    const contact = Math.floor(random() * (draw < 0.5 ? active : contacts.count));
    const product = Math.floor(random() * products.count);
    const type = k % 20 === 3 ? 'cart_abandoned' : 'product_viewed';
    row.timestamptz(ms).int8(contacts.first + contact);
    row
      .text(type)
      .text('api')
      .text(`v${ids.events + k}`);
    row.jsonb(`{"product_id": "${products.first + product}", "product_name": "Product ${product}"}`);
    see?.(type, contact, ms, 0);
    yield;
  }
}
