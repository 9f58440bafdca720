import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { Row } from './row.ts';
import { EVENT_TYPES, type SeeEvent } from './rows/events.ts';
import { ordersOf } from './rows/orders.ts';
import type { FilledShop, Span } from './shop.ts';
import type { CopiedTable } from './tables.ts';

const SLOT_MS = 900_000;

interface Slot {
  placed: number;
  cancelled: number;
  revenue: number;
  returning: number;
}

/** Totals of a shop's orders, by the indexes of its customers and products. */
export interface OrderTotals {
  orders: Float64Array;
  spent: Float64Array;
  /** Milliseconds. */
  lastAt: Float64Array;
  /** By product: the quantity that has left the stock. */
  moved: Float64Array;
  /** By the start of their quarter of an hour. */
  sales: Map<number, Slot>;
}

/** Computes what the triggers would; yields to other work after each span. */
export async function addUpOrders(shop: FilledShop, spans: readonly Span[]): Promise<OrderTotals> {
  const { customers, products } = shop;
  const totals: OrderTotals = {
    orders: new Float64Array(customers.count),
    spent: new Float64Array(customers.count),
    lastAt: new Float64Array(customers.count).fill(Number.NEGATIVE_INFINITY),
    moved: new Float64Array(products.count),
    sales: new Map(),
  };
  const { orders, spent, lastAt, moved, sales } = totals;
  for (const span of spans) {
    for (const { customer, status, at, lines, subtotal, shipping } of ordersOf(shop, span)) {
      const start = at - (at % SLOT_MS);
      const slot = sales.get(start) ?? { placed: 0, cancelled: 0, revenue: 0, returning: 0 };
      if (slot.placed === 0) sales.set(start, slot);
      slot.placed++;
      if (orders[customer]!++ > 0) slot.returning++;
      if (at > lastAt[customer]!) lastAt[customer] = at;
      if (status === 'cancelled') {
        slot.cancelled++;
        continue;
      }
      spent[customer]! += subtotal + shipping;
      slot.revenue += subtotal + shipping;
      for (const { product, qty } of lines) moved[product]! += qty;
    }
    await nextTurn();
  }
  return totals;
}

export async function takeFromStock(client: pg.ClientBase, shop: FilledShop, { moved }: OrderTotals): Promise<void> {
  await client.query(
    `update product_stock s set stock_qty = stock_qty - t.n from unnest($3::bigint[]) with ordinality t (n, product)
     where s.company_id = $1 and s.product_id = $2::bigint + t.product - 1 and t.n > 0`,
    [shop.companyId, shop.products.first, [...moved]],
  );
}

/** Totals of a shop's events, by the index of the contact. */
interface TypeTotals {
  n: Float64Array;
  first: Float64Array;
  last: Float64Array;
  hundredths: Float64Array | null;
}

export interface EventTotals {
  see: SeeEvent;
  types: Readonly<Record<(typeof EVENT_TYPES)[number], TypeTotals>>;
}

export function createEventTotals({ contacts }: FilledShop): EventTotals {
  const create = (hasAmount: boolean): TypeTotals => ({
    n: new Float64Array(contacts.count),
    first: new Float64Array(contacts.count).fill(Number.POSITIVE_INFINITY),
    last: new Float64Array(contacts.count).fill(Number.NEGATIVE_INFINITY),
    hundredths: hasAmount ? new Float64Array(contacts.count) : null,
  });
  const types = { cart_abandoned: create(false), order_placed: create(true), product_viewed: create(false) };
  const see: SeeEvent = (type, contact, at, amount) => {
    const { n, first, last, hundredths } = types[type];
    n[contact]!++;
    if (at < first[contact]!) first[contact] = at;
    if (at > last[contact]!) last[contact] = at;
    if (hundredths !== null) hundredths[contact]! += amount;
  };
  return { see, types };
}

/** A shop and its totals. */
export interface AddedUp {
  shop: FilledShop;
  orders: OrderTotals;
  events: EventTotals;
}

/** Kept totals that triggers and workers would have written row by row. */
export const TOTALS: readonly CopiedTable<AddedUp>[] = [
  {
    table: 'contact_last_activity',
    columns: ['company_id', 'contact_id'],
    *rows(row, { shop: { companyId, contacts } }) {
      for (let n = 0; n < contacts.count; n++) yield void row.int8(companyId).int8(contacts.first + n);
    },
  },
  {
    table: 'customer_accounts',
    columns: ['company_id', 'customer_id', 'order_count'],
    *rows(row, { shop: { companyId, customers }, orders: { orders } }) {
      for (const [n, count] of orders.entries()) {
        if (count > 0)
          yield void row
            .int8(companyId)
            .int8(customers.first + n)
            .int8(count);
      }
    },
  },
  {
    table: 'customer_figures',
    columns: ['company_id', 'customer_id', 'spent', 'last_order_at'],
    *rows(row, { shop: { companyId, customers }, orders: { spent, lastAt } }) {
      for (let n = 0; n < customers.count; n++) {
        yield void row
          .int8(companyId)
          .int8(customers.first + n)
          .int8(spent[n]!)
          .timestamptz(lastAt[n]!);
      }
    },
  },
  {
    table: 'sales_totals',
    columns: ['company_id', 'slot', 'placed', 'cancelled', 'revenue', 'returning_orders'],
    *rows(row, { shop: { companyId }, orders: { sales } }) {
      for (const [start, { placed, cancelled, revenue, returning }] of sales) {
        row.int8(companyId).timestamptz(start);
        yield void row.int8(placed).int8(cancelled).int8(revenue).int8(returning);
      }
    },
  },
];

/** Filled once all events exist. */
export const EVENT_TOTALS: CopiedTable<AddedUp> = {
  table: 'event_totals',
  columns: ['company_id', 'event_type', 'contact_id', 'n', 'amount', 'first_at', 'last_at'],
  rows: eventTotalRows,
};

function* eventTotalRows(row: Row, { shop: { companyId, contacts }, events: { types } }: AddedUp): Generator<void> {
  for (const type of EVENT_TYPES) {
    const { n, first, last, hundredths } = types[type];
    for (let contact = 0; contact < contacts.count; contact++) {
      if (n[contact] === 0) continue;
      row
        .int8(companyId)
        .text(type)
        .int8(contacts.first + contact)
        .int8(n[contact]!);
      row
        .hundredths(hundredths?.[contact] ?? 0)
        .timestamptz(first[contact]!)
        .timestamptz(last[contact]!);
      yield;
    }
  }
}
