import { createRandom } from '../random.ts';
import type { Row } from '../row.ts';
import { type FilledShop, HOUR_MS, momentOf, type Span, type SpanOfShop } from '../shop.ts';

export interface MadeOrder {
  /** Index within the span, from 0. */
  index: number;
  /** Index of the customer. */
  customer: number;
  /** Milliseconds. */
  at: number;
  status: 'delivered' | 'cancelled' | 'shipped' | 'processing' | 'pending';
  /** Different products, by their indexes. */
  lines: { product: number; qty: number; price: number }[];
  subtotal: number;
  shipping: number;
}

export const priceOf = (product: number): number => 100 + ((product * 37) % 9_900);

const STATUSES = ['pending', 'processing', 'shipped', 'cancelled', 'delivered'] as const;
/** Percentages of every status except delivered. */
const SHARES = [2, 3, 5, 5];

/** Of an order. */
export const MAX_LINES = 3;

/** The orders of the span in the order of their ids. Half of them come from a tenth of the customers. */
export function* ordersOf({ seed, products, customers }: FilledShop, span: Span): Generator<MadeOrder, undefined> {
  const random = createRandom(`${seed}:orders:${span.from.toISOString()}`);
  const regular = Math.max(1, Math.floor(customers.count / 10));
  for (let index = 0; index < span.orders; index++) {
    const customer = Math.floor(random() * (random() < 0.5 ? regular : customers.count));
    let share = random() * 100;
    let status = 0;
    while (status < SHARES.length && share >= SHARES[status]!) share -= SHARES[status++]!;
    const lines: MadeOrder['lines'] = [];
    const first = Math.floor(random() * products.count);
    const count = Math.min(1 + Math.floor(random() * MAX_LINES), products.count);
    let subtotal = 0;
    for (let line = 0; line < count; line++) {
      const product = (first + line) % products.count;
      const [qty, price] = [1 + Math.floor(random() * 3), priceOf(product)];
      lines.push({ product, qty, price });
      subtotal += qty * price;
    }
    const shipping = subtotal > 5_000 ? 0 : 495;
    yield {
      index,
      customer,
      at: momentOf(span, index, span.orders),
      status: STATUSES[status]!,
      lines,
      subtotal,
      shipping,
    };
  }
  return undefined;
}

export const ORDER_COLUMNS = [
  ...['company_id', 'id', 'customer_id', 'status', 'subtotal', 'discount', 'tax', 'shipping', 'total'],
  ...['shipping_address', 'shipping_city', 'shipping_zip', 'shipping_country', 'shipping_method'],
  ...['created_at', 'updated_at', 'imported'],
];

export function* orderRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { index, customer, at, status, subtotal, shipping } of ordersOf(shop, span)) {
    row.int8(shop.companyId).int8(ids.orders + index);
    row.int8(shop.customers.first + customer).text(status);
    row.int8(subtotal).int8(0).int8(0).int8(shipping);
    row.int8(subtotal + shipping).text(`Street ${customer % 1_000}`);
    row.text('Utrecht').text('1000').text('NL').text('standard');
    row.timestamptz(at).timestamptz(at).bool(false);
    yield;
  }
}

export const ITEM_COLUMNS = [
  'company_id',
  'id',
  'order_id',
  'line',
  'product_id',
  'product_name',
  'qty',
  'price',
  'subtotal',
];

export function* itemRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  let id = ids.lines;
  for (const { index, lines } of ordersOf(shop, span)) {
    for (const [line, { product, qty, price }] of lines.entries()) {
      row
        .int8(shop.companyId)
        .int8(id++)
        .int8(ids.orders + index)
        .int2(line);
      row.int8(shop.products.first + product).text(`Product ${product}`);
      row
        .int4(qty)
        .int8(price)
        .int8(qty * price);
      yield;
    }
  }
}

export const HISTORY_COLUMNS = ['company_id', 'order_id', 'type', 'from_status', 'to_status', 'actor', 'created_at'];

export function* historyRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { index, at, status } of ordersOf(shop, span)) {
    row.int8(shop.companyId).int8(ids.orders + index);
    row.text('created').null().text('pending').text('key:storefront').timestamptz(at);
    yield;
    if (status === 'pending') continue;
    row.int8(shop.companyId).int8(ids.orders + index);
    row
      .text('status_changed')
      .text('pending')
      .text(status)
      .text('key:till')
      .timestamptz(at + HOUR_MS);
    yield;
  }
}

export const MOVEMENT_COLUMNS = ['company_id', 'product_id', 'kind', 'reference_id', 'delta', 'actor', 'created_at'];

export function* movementRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  let line = ids.lines;
  for (const { at, status, lines } of ordersOf(shop, span)) {
    const write = (product: number, kind: string, delta: number, actor: string, ms: number): void => {
      row.int8(shop.companyId).int8(product).text(kind);
      row.int8(line).int4(delta);
      row.text(actor).timestamptz(ms);
    };
    for (const { product, qty } of lines) {
      yield write(shop.products.first + product, 'order', -qty, 'key:storefront', at);
      if (status === 'cancelled') yield write(shop.products.first + product, 'cancel', qty, 'key:till', at + HOUR_MS);
      line++;
    }
  }
}

export const DELIVERY_COLUMNS = [
  ...['company_id', 'endpoint_id', 'message_id', 'event_type', 'entity', 'body', 'status', 'attempts', 'due_at'],
  ...['give_up_at', 'response_status', 'created_at', 'finished_at'],
];

/** The webhook delivery of each order. */
export function* deliveryRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { index, at, subtotal, shipping } of ordersOf(shop, span)) {
    const id = ids.orders + index;
    const failed = index % 200 === 7;
    row.int8(shop.companyId).int8(shop.endpointId).text(`shop-${id}`);
    row.text('order_placed').text(`order:${id}`);
    row.text(
      `{"event_type": "order_placed", "event_data": {"order_id": "${id}", "total": ${(subtotal + shipping) / 100}}}`,
    );
    row.text(failed ? 'failed' : 'delivered').int4(failed ? 8 : 1);
    row
      .timestamptz(at)
      .timestamptz(at + 2_000)
      .int4(failed ? 500 : 200);
    row.timestamptz(at).timestamptz(at + 2_000);
    yield;
  }
}
