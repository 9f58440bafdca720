import { isStoreUrl } from '../commerce/settings/checkout/service.ts';
import { loadShop } from '../commerce/shop.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { DemoIds } from '../installation.ts';
import type { RawJson } from '../lib/raw-json.ts';
import { CATALOGUE, ITEMS, itemsOf } from './catalogue.ts';
import { configureShop, USED_PROMO } from './configuration.ts';
import { type DemoContext, HOUR_MS, OPENED_HOURS_AGO } from './context.ts';
import { createMarketing } from './marketing.ts';
import { type DemoOrder, inventOrders } from './orders.ts';
import { type DemoCustomer, inventPeople } from './people.ts';
import { type Random, seededRandom } from './random.ts';
import { createDemoServices, type DemoDeps } from './services.ts';
import { FOOD } from './taxes.ts';

const SEED = 20_260_401;
const CUSTOMERS = 40;
const ORDERS = 150;
const SUBSCRIPTIONS = 9;
/** Categories of food, which some countries tax less. */
const FOODS = ['coffee', 'tea', 'pantry'];
/** Ids of the default frequencies: every 2 weeks, monthly, every 2 months. */
const FREQUENCIES = [2, 3, 3, 4];

/** The shop, and the ids of what can be ordered and of its customers, in the order of `ITEMS` and the people. */
interface StockedShop {
  context: DemoContext;
  itemIds: number[];
  customerIds: number[];
}

/**
 * Fills a new company with products, customers, subscriptions, the orders of the last 90 days, flows and campaigns. The
 * result is the same each time, except for the times, which count back from `now`.
 * @param origin where the pictures are served
 * @returns the ids used in the examples in the terminal
 */
export async function fillShop(
  deps: DemoDeps,
  tx: Tx,
  options: { companyId: number; now: Date; origin: string },
): Promise<DemoIds> {
  const { companyId, now, origin } = options;
  const db = joining(tx);
  const shop = await loadShop(tx, companyId);
  const context: DemoContext = {
    tx,
    db,
    services: createDemoServices(deps, db, shop),
    deps,
    shop,
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
  const itemIds = await createProducts(context, orders, origin);
  await configureShop(context);
  const customerIds = await createCustomers(context, people);
  const stocked = { context, itemIds, customerIds };
  await placeOrders(stocked, orders, people);
  await fillCarts(stocked, people, origin);
  await createSubscriptions(stocked, people, random);
  await createCollections(stocked);
  await openCounter(stocked);
  const { flowId, contactIds } = await createMarketing(context, people, customerIds);
  const buyer = findWithoutMessages(people, orders);
  return {
    company_id: companyId,
    customer_id: customerIds[buyer]!,
    contact_id: contactIds[buyer]!,
    email: people[buyer]!.email,
    product_id: itemIds[0]!,
    flow_id: flowId,
  };
}

/** A customer to whom no campaign or flow sends anything at first: no marketing, no recent order. */
function findWithoutMessages(people: readonly DemoCustomer[], orders: readonly DemoOrder[]): number {
  const recent = new Set(orders.filter(({ hoursAgo }) => hoursAgo < 15 * 24).map(({ customer }) => customer));
  const found = people.findIndex(
    (person, i) => !person.acceptsMarketing && person.joinedDaysAgo > 15 && !recent.has(i),
  );
  if (found < 0) throw new Error('No customer of the demo shop is without recent messages for the examples');
  return found;
}

/** Creates the products with enough stock for the orders, and returns the ids of what can be ordered. */
async function createProducts({ services, at }: DemoContext, orders: DemoOrder[], origin: string): Promise<number[]> {
  const sold = ITEMS.map(() => 0);
  for (const { lines } of orders) for (const { item, qty } of lines) sold[item]! += qty;
  const ids: number[] = [];
  for (const [i, product] of CATALOGUE.entries()) {
    const sku = `FH-${String(i + 1).padStart(3, '0')}`;
    const items = itemsOf(i).map(({ price, stock }, n) => ({ price, stock_qty: stock + sold[ids.length + n]! }));
    const { options } = product;
    const kind =
      options === undefined
        ? { ...items[0]!, sku }
        : {
            options: options.map(({ name, values }) => ({ name, values: [...values] })),
            variants: itemsOf(i).map(({ values }, n) => ({
              ...items[n]!,
              options: options.map(({ name }, o) => ({ name, value: values[o]! })),
              sku: `${sku}-${n + 1}`,
            })),
          };
    const created = await services.products.createProduct(at(OPENED_HOURS_AGO), {
      ...kind,
      name: product.name,
      slug: product.slug,
      description: product.description,
      subscription_enabled: product.subscription,
      categories: [product.category],
      tax_class: FOODS.includes(product.category) ? FOOD : null,
      images: [{ url: `${origin}/demo/images/${product.slug}.svg` }],
    });
    const record = JSON.parse(created.text) as { id: number; variants?: { id: number }[] };
    ids.push(...(record.variants ?? [record]).map(({ id }) => id));
  }
  return ids;
}

async function createCustomers({ services, at }: DemoContext, people: DemoCustomer[]): Promise<number[]> {
  const ids: number[] = [];
  for (const person of people) {
    const created = await services.customers.createCustomer(at(person.joinedDaysAgo * 24), {
      email: person.email,
      first_name: person.firstName,
      last_name: person.lastName,
      accepts_marketing: person.acceptsMarketing,
      ...shippingOf(person),
    });
    ids.push(idOf(created));
  }
  return ids;
}

async function placeOrders(
  { context, itemIds, customerIds }: StockedShop,
  orders: DemoOrder[],
  people: DemoCustomer[],
): Promise<void> {
  const { services, at } = context;
  for (const { customer, lines, usesPromo, hoursAgo, moves } of orders) {
    const order = await services.orders.place(at(hoursAgo), {
      customer_id: customerIds[customer]!,
      items: lines.map(({ item, qty }) => ({ product_id: itemIds[item]!, qty })),
      ...shippingOf(people[customer]!),
      ...(usesPromo ? { promo_code: USED_PROMO.code } : {}),
    });
    for (const { status, hoursAgo: moved } of moves) {
      const tracking =
        status === 'shipped' ? { tracking_number: `FH${1_000_000 + order.id * 37}`, carrier: 'Fernhill Post' } : {};
      await services.orders.updateStatus(at(moved), order.id, { status, ...tracking });
    }
  }
}

/** Carts that nobody has ordered: of two customers, and of a guest who has given an e-mail address alone. The first start raises their events. */
async function fillCarts(
  { context, itemIds, customerIds }: StockedShop,
  people: DemoCustomer[],
  origin: string,
): Promise<void> {
  const { services, at } = context;
  const store_url = `${origin}/shop/`;
  if (isStoreUrl(store_url)) await services.checkoutSettings.updateSettings(at(27), { store_url });
  const lines = (...items: number[]) => items.map((item, i) => ({ product_id: itemIds[item]!, qty: i + 1 }));
  const [first, second] = [4, 7];
  await services.carts.createCart(at(27), { email: 'june@example.net', first_name: 'June', lines: lines(2, 5) });
  for (const [hours, customer] of [
    [5, first],
    [1, second],
  ] as const) {
    const buyer = { customer_id: customerIds[customer]!, ...shippingOf(people[customer]!) };
    await services.carts.createCart(at(hours), { ...buyer, lines: lines(customer, customer + 1, 0) });
  }
}

/** Creates subscriptions in the past that are due in the next days. */
async function createSubscriptions(
  { context, itemIds, customerIds }: StockedShop,
  people: DemoCustomer[],
  random: Random,
): Promise<void> {
  const { services, now, at } = context;
  const offered = ITEMS.flatMap(({ product }, i) => (CATALOGUE[product]!.subscription ? [itemIds[i]!] : []));
  for (let i = 0; i < SUBSCRIPTIONS; i++) {
    const due = new Date(now.getTime() + random.between(2, 27) * 24 * HOUR_MS);
    await services.subscriptions.createSubscription(at(random.between(1, people[i]!.joinedDaysAgo - 1) * 24), {
      customer_id: customerIds[i]!,
      product_id: random.pick(offered),
      frequency_id: random.pick(FREQUENCIES),
      quantity: random.between(1, 2),
      start_date: due.toISOString().slice(0, 10),
    });
  }
}

/** A list for newcomers, and a rule. */
async function createCollections({ context, itemIds }: StockedShop): Promise<void> {
  const { services, at } = context;
  const { slug } = await services.collections.createCollection(at(OPENED_HOURS_AGO), {
    name: 'Your first pour-over',
    description: 'All that a slow morning needs.',
    kind: 'manual',
  });
  const slugs = ['pour-over-cone', 'paper-filters', 'gooseneck-kettle', 'harbour-filter-roast'];
  const product_ids = slugs.map((one) => itemIds[ITEMS.findIndex(({ product }) => CATALOGUE[product]!.slug === one)]!);
  await services.collections.setProducts(at(OPENED_HOURS_AGO), slug, { product_ids }, null);
  const rules = { rules: [{ field: 'price', comparison: 'less_than' as const, value: 13 }] };
  const small = { name: 'Small presents', kind: 'rules', rules, sort: 'price_asc' } as const;
  await services.collections.createCollection(at(OPENED_HOURS_AGO), small);
}

/** A second location, whose stock is not sold online, and its first goods. */
async function openCounter({ context, itemIds }: StockedShop): Promise<void> {
  const { services, at } = context;
  const opened = 24 * 12;
  const { id } = await services.locations.createLocation(at(opened), {
    name: 'Shop counter',
    online: false,
    address: '212 Alder Street',
    city: 'Portland',
    state: 'OR',
    zip: '97205',
    country: 'US',
  });
  await services.stockDocuments.createReceipt(at(opened - 1), {
    location_id: id,
    supplier: 'Fernhill Roastery',
    reference: 'Counter 1',
    lines: itemIds.slice(0, 12).map((product_id, i) => ({ product_id, qty: 6 + (i % 4) * 3 })),
  });
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

/**
 * Wraps an open transaction as a database: services that would open and end transactions of their own become part of
 * this one, which ends later. For one call at a time.
 */
export function joining(tx: Tx): Db {
  const query: Tx['query'] = (statement) => tx.query(statement);
  const inner: Tx = {
    kind: 'tx',
    query,
    commitAfter: async (pending) => {
      await Promise.all(pending);
    },
    limitStatements: (ms) => tx.limitStatements(ms),
    savepoint: (work) => tx.savepoint(work),
  };
  const tenantTx: Db['tenantTx'] = (_companyId, work) => work(inner);
  const joined: Db = {
    kind: 'db',
    query,
    tx: (work) => work(inner),
    tenantTx,
    points: () => joined,
    lists: () => joined,
    writes: () => joined,
    choresOf: () => joined,
    get strangers() {
      return joined;
    },
    get chores() {
      return joined;
    },
    get probe() {
      return joined;
    },
    get visitors() {
      return joined;
    },
    shared: inner,
    figures: () => ({}),
    writesRefusedAt: () => Number.NEGATIVE_INFINITY,
    close: async () => {},
  };
  return joined;
}
