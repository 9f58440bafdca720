import { createRandom } from '../random.ts';
import { type FilledShop, momentOf, NULL, type Span, stamp } from '../shop.ts';

export interface MadeOrder {
  /** Within the span, from 0 on. */
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
/** Shares in a hundred, of all but the delivered. */
const SHARES = [2, 3, 5, 5];

/** The orders of the span in the order of their ids. Half of them are of a tenth of the customers. */
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
    const count = Math.min(1 + Math.floor(random() * 3), products.count);
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
  ...[
    'shipping_address',
    'shipping_city',
    'shipping_zip',
    'shipping_country',
    'shipping_method',
    'created_at',
    'updated_at',
  ],
  'imported',
];

export function* orderLines(shop: FilledShop, span: Span, firstId: number): Generator<string> {
  for (const { index, customer, at, status, subtotal, shipping } of ordersOf(shop, span)) {
    const made = stamp(at);
    yield `${shop.companyId}\t${firstId + index}\t${shop.customers.first + customer}\t${status}\t${subtotal}\t0\t0\t${shipping}\t${subtotal + shipping}\tStreet ${customer % 1_000}\tUtrecht\t1000\tNL\tstandard\t${made}\t${made}\tf\n`;
  }
}

export const ITEM_COLUMNS = [
  ...['company_id', 'order_id', 'line', 'product_id', 'product_name', 'qty', 'price', 'subtotal'],
];

export function* itemLines(shop: FilledShop, span: Span, firstId: number): Generator<string> {
  for (const { index, lines } of ordersOf(shop, span)) {
    for (const [line, { product, qty, price }] of lines.entries()) {
      yield `${shop.companyId}\t${firstId + index}\t${line}\t${shop.products.first + product}\tProduct ${product}\t${qty}\t${price}\t${qty * price}\n`;
    }
  }
}

export const HISTORY_COLUMNS = ['company_id', 'order_id', 'type', 'from_status', 'to_status', 'actor', 'created_at'];

export function* historyLines(shop: FilledShop, span: Span, firstId: number): Generator<string> {
  for (const { index, at, status } of ordersOf(shop, span)) {
    const order = `${shop.companyId}\t${firstId + index}`;
    yield `${order}\tcreated\t${NULL}\tpending\tkey:storefront\t${stamp(at)}\n`;
    if (status !== 'pending')
      yield `${order}\tstatus_changed\tpending\t${status}\tkey:till\t${stamp(at + 3_600_000)}\n`;
  }
}

export const MOVEMENT_COLUMNS = ['company_id', 'product_id', 'kind', 'reference', 'delta', 'actor', 'created_at'];

export function* movementLines(shop: FilledShop, span: Span, firstId: number): Generator<string> {
  for (const { index, at, status, lines } of ordersOf(shop, span)) {
    for (const { product, qty } of lines) {
      const id = `${shop.companyId}\t${shop.products.first + product}`;
      yield `${id}\torder\t${firstId + index}\t${-qty}\tkey:storefront\t${stamp(at)}\n`;
      if (status === 'cancelled')
        yield `${id}\tcancel\t${firstId + index}\t${qty}\tkey:till\t${stamp(at + 3_600_000)}\n`;
    }
  }
}

export const DELIVERY_COLUMNS = [
  ...['company_id', 'endpoint_id', 'message_id', 'event_type', 'entity', 'body', 'status', 'attempts', 'due_at'],
  ...['give_up_at', 'response_status', 'created_at', 'finished_at'],
];

/** What the endpoint was sent of each order. */
export function* deliveryLines(shop: FilledShop, span: Span, firstId: number): Generator<string> {
  for (const { index, at, subtotal, shipping } of ordersOf(shop, span)) {
    const id = firstId + index;
    const [made, end] = [stamp(at), stamp(at + 2_000)];
    const body = `{"event_type": "order_placed", "event_data": {"order_id": "${id}", "total": ${(subtotal + shipping) / 100}}}`;
    const failed = index % 200 === 7;
    yield `${shop.companyId}\t${shop.endpointId}\tshop-${id}\torder_placed\torder:${id}\t${body}\t${failed ? 'failed' : 'delivered'}\t${failed ? 8 : 1}\t${made}\t${end}\t${failed ? 500 : 200}\t${made}\t${end}\n`;
  }
}
