import type { App } from '../app.ts';
import { createCustomer } from '../commerce/customers/service.ts';
import { createOrdersService, updateStatus } from '../commerce/orders/service.ts';
import { createProduct } from '../commerce/products/service.ts';
import { loadShop } from '../commerce/shop.ts';
import { createSubscription } from '../commerce/subscriptions/service.ts';
import { joining } from '../db/batching/join.ts';
import type { Tx } from '../db/pool.ts';
import type { DemoIds } from '../installation.ts';
import type { RawJson } from '../lib/raw-json.ts';
import { CATALOGUE } from './catalogue.ts';
import { configureShop, USED_PROMO } from './configuration.ts';
import { HOUR_MS, type Making, OPENED_HOURS_AGO } from './making.ts';
import { makeMarketing } from './marketing.ts';
import { type DemoOrder, inventOrders } from './orders.ts';
import { type DemoCustomer, inventPeople } from './people.ts';
import { type Random, seededRandom } from './random.ts';
import { FOOD } from './taxes.ts';

const SEED = 20_260_401;
const CUSTOMERS = 40;
const ORDERS = 150;
const SUBSCRIPTIONS = 9;
/** Categories of what people eat and drink: taxed less in some countries. */
const FOODS = ['coffee', 'tea', 'pantry'];
/** Every 2 weeks, monthly, every 2 months: of the frequencies that every company starts with. */
const FREQUENCIES = [2, 3, 3, 4];

/** The shop, and the ids of its products and customers in the order of the catalogue and the people. */
interface StockedShop {
  making: Making;
  productIds: number[];
  customerIds: number[];
}

/**
 * Fills a new company with products, customers, subscriptions, the orders of the last 90 days and the flows that follow
 * from them: the same each time but for the moments, which count back from `now`.
 * @param origin where the pictures are
 * @returns the ids that the examples in the terminal name
 */
export async function stockShop(
  app: App,
  tx: Tx,
  options: { companyId: number; now: Date; origin: string },
): Promise<DemoIds> {
  const { companyId, now, origin } = options;
  const making: Making = {
    tx,
    app: { ...app, db: joining(tx) },
    shop: await loadShop(tx, companyId),
    now,
    at: (hoursAgo) => ({
      companyId,
      actor: 'demo',
      requestId: 'demo',
      now: new Date(now.getTime() - hoursAgo * HOUR_MS),
      idempotency: null,
    }),
  };
  const random = seededRandom(SEED);
  const people = inventPeople(random, CUSTOMERS);
  const orders = inventOrders(random, people, ORDERS);
  const productIds = await makeProducts(making, orders, origin);
  await configureShop(making);
  const customerIds = await makeCustomers(making, people);
  const stocked = { making, productIds, customerIds };
  await placeOrders(stocked, orders, people);
  await makeSubscriptions(stocked, people, random);
  const { flowId, contactIds } = await makeMarketing(making, people, customerIds);
  const buyer = findQuiet(people, orders);
  return {
    company_id: companyId,
    customer_id: customerIds[buyer]!,
    contact_id: contactIds[buyer]!,
    email: people[buyer]!.email,
    product_id: productIds[0]!,
    flow_id: flowId,
  };
}

/** Somebody whom neither a campaign nor a flow writes to when the shop opens: who takes no news and ordered nothing lately. */
function findQuiet(people: readonly DemoCustomer[], orders: readonly DemoOrder[]): number {
  const lately = new Set(orders.filter(({ hoursAgo }) => hoursAgo < 15 * 24).map(({ customer }) => customer));
  const found = people.findIndex(
    (person, i) => !person.acceptsMarketing && person.joinedDaysAgo > 15 && !lately.has(i),
  );
  if (found < 0) throw new Error('Nobody in the demo shop is quiet enough for the examples');
  return found;
}

async function makeProducts({ app, shop, at }: Making, orders: DemoOrder[], origin: string): Promise<number[]> {
  const sold = CATALOGUE.map(() => 0);
  for (const { lines } of orders) for (const { product, qty } of lines) sold[product]! += qty;
  const ids: number[] = [];
  for (const [i, product] of CATALOGUE.entries()) {
    const made = await createProduct(app.db, shop, at(OPENED_HOURS_AGO), {
      name: product.name,
      slug: product.slug,
      description: product.description,
      price: product.price,
      stock_qty: product.stock + sold[i]!,
      subscription_enabled: product.subscription,
      categories: [product.category],
      tax_class: FOODS.includes(product.category) ? FOOD : null,
      images: [{ url: `${origin}/demo/images/${product.slug}.svg` }],
      sku: `FH-${String(i + 1).padStart(3, '0')}`,
    });
    ids.push(idOf(made));
  }
  return ids;
}

async function makeCustomers({ app, shop, at }: Making, people: DemoCustomer[]): Promise<number[]> {
  const ids: number[] = [];
  for (const person of people) {
    const made = await createCustomer(app, shop, at(person.joinedDaysAgo * 24), {
      email: person.email,
      first_name: person.firstName,
      last_name: person.lastName,
      accepts_marketing: person.acceptsMarketing,
      ...shippingOf(person),
    });
    ids.push(idOf(made));
  }
  return ids;
}

async function placeOrders(
  { making, productIds, customerIds }: StockedShop,
  orders: DemoOrder[],
  people: DemoCustomer[],
): Promise<void> {
  const { app, at } = making;
  const { db, shops, messaging } = app;
  const placing = createOrdersService({ db, shops, suppressions: messaging.suppressions, onPlaced: () => {} });
  for (const { customer, lines, usesPromo, hoursAgo, moves } of orders) {
    const order = await placing.place(at(hoursAgo), {
      customer_id: customerIds[customer]!,
      items: lines.map(({ product, qty }) => ({ product_id: productIds[product]!, qty })),
      ...shippingOf(people[customer]!),
      ...(usesPromo ? { promo_code: USED_PROMO.code } : {}),
    });
    for (const { status, hoursAgo: moved } of moves) {
      const tracking = status === 'shipped' ? { tracking_number: `FH${1_000_000 + order.id * 37}` } : {};
      await updateStatus(app.db, app.shops, at(moved), order.id, { status, ...tracking });
    }
  }
}

/** Signed up for in the past, due in the days to come. */
async function makeSubscriptions(
  { making, productIds, customerIds }: StockedShop,
  people: DemoCustomer[],
  random: Random,
): Promise<void> {
  const { app, shop, now, at } = making;
  const offered = CATALOGUE.flatMap((product, i) => (product.subscription ? [productIds[i]!] : []));
  for (let i = 0; i < SUBSCRIPTIONS; i++) {
    const due = new Date(now.getTime() + random.between(2, 27) * 24 * HOUR_MS);
    await createSubscription(app.db, shop, at(random.between(1, people[i]!.joinedDaysAgo - 1) * 24), {
      customer_id: customerIds[i]!,
      product_id: random.pick(offered),
      frequency_id: random.pick(FREQUENCIES),
      quantity: random.between(1, 2),
      start_date: due.toISOString().slice(0, 10),
    });
  }
}

function shippingOf({ address, city, state, zip, country }: DemoCustomer) {
  return {
    shipping_address: address,
    shipping_city: city,
    shipping_state: state,
    shipping_zip: zip,
    shipping_country: country,
  };
}

function idOf(record: RawJson): number {
  return (JSON.parse(record.text) as { id: number }).id;
}
