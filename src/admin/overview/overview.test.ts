import { beforeAll, describe, expect, test } from 'vitest';
import { salesInvariants } from '../../commerce/sales/invariants.ts';
import { foldDeltas } from '../../db/counters.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';
import { allSlices } from '../../work/slices.ts';

const server = testServer();
const DAY_MS = 86_400_000;
const ADDRESS = {
  shipping_address: '12 Harbour Street',
  shipping_city: 'Rotterdam',
  shipping_zip: '3011 AB',
  shipping_country: 'NL',
};

interface Figures {
  start: string;
  orders: number;
  revenue: number;
}

/** A shop in Auckland, twelve or thirteen hours ahead of UTC, with a product for 10.00 and two customers. */
async function makeShop() {
  const shop = await server.company({ timeZone: 'Pacific/Auckland', currency: 'NZD' });
  const product = await shop.commerce('POST', '/products', { name: 'Tea', price: 10, stock_qty: 40 });
  const customers = await Promise.all(
    ['ada', 'ben'].map((name) => shop.commerce('POST', '/customers', { email: `${name}@example.com`, name })),
  );
  const order = async (customer: number, qty: number): Promise<number> => {
    const items = [{ product_id: product.body.data.id, qty }];
    const made = await shop.commerce('POST', '/orders', {
      customer_id: customers[customer]!.body.data.id,
      items,
      ...ADDRESS,
    });
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  return { shop, order, product: product.body.data.id as number };
}

/** Sends the request as an owner who has just signed in, because moving the clock ends sessions. */
async function ask(shop: TestCompany, query: string) {
  const owner = await testPerson(server, { [shop.company_id]: 'owner' });
  return owner.ask('GET', `/${shop.company_id}/overview/${query}`);
}

async function read(shop: TestCompany, query: string) {
  const { status, body } = await ask(shop, query);
  expect(status).toBe(200);
  return body;
}

describe('sales', () => {
  let shop: TestCompany;

  beforeAll(async () => {
    const made = await makeShop();
    ({ shop } = made);
    const midday = (day: string): number => Date.parse(`${day}T12:00:00Z`);
    const at = async (moment: number, work: () => Promise<unknown>): Promise<void> => {
      server.clock.advance(moment - server.clock.now().getTime());
      await work();
    };
    const base = new Date(server.clock.now().getTime() + 40 * DAY_MS).toISOString().slice(0, 10);
    const day = (n: number): string => new Date(Date.parse(base) + n * DAY_MS).toISOString().slice(0, 10);
    days = [0, 1, 2, 31].map(day);
    // Midday in UTC is after midnight in Auckland, on the next day.
    await at(midday(day(-1)) - 2 * 3_600_000, () => made.order(0, 1));
    await at(midday(day(0)), () => made.order(0, 2));
    await at(midday(day(0)) + 60_000, () => made.order(1, 3));
    let cancelled = 0;
    await at(midday(day(1)), async () => {
      cancelled = await made.order(1, 4);
    });
    await at(midday(day(1)) + 3_600_000, () =>
      shop.commerce('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' }),
    );
  });
  let days: string[];

  test('are grouped by days of the shop’s time zone, with a cancellation on the day of its order', async () => {
    const { currency, time_zone, period } = await read(shop, `sales?from=${days[0]}&to=${days[2]}&compare=none`);
    expect([currency, time_zone]).toEqual(['NZD', 'Pacific/Auckland']);
    expect(period.intervals).toEqual([
      { start: days[0], orders: 0, cancelled: 0, revenue: 0, refunded: 0, net: 0, average: 0, returning: 0 },
      { start: days[1], orders: 2, cancelled: 0, revenue: 50, refunded: 0, net: 50, average: 25, returning: 0.5 },
      { start: days[2], orders: 1, cancelled: 1, revenue: 0, refunded: 0, net: 0, average: 0, returning: 1 },
    ]);
    expect(period.total).toEqual({
      orders: 3,
      cancelled: 1,
      revenue: 50,
      refunded: 0,
      net: 50,
      average: 25,
      returning: 2 / 3,
    });
  });

  test('is the same before and after the totals are folded, and equals the sum of the orders', async () => {
    const query = `sales?from=${days[0]}&to=${days[3]}&interval=week`;
    const before = await read(shop, query);
    expect(await checkInvariants(server.app.db, salesInvariants)).toMatchObject([{ ok: true }, { ok: true }]);
    await allSlices(foldDeltas(server.app.db.chores, 'sales'));
    expect(await server.rows('select from sales_deltas')).toEqual([]);
    expect(await read(shop, query)).toEqual(before);
    expect(await checkInvariants(server.app.db, salesInvariants)).toMatchObject([{ ok: true }, { ok: true }]);
    await server.rows('update sales_totals set revenue = revenue + 1 where placed = 2');
    expect(await checkInvariants(server.app.db, salesInvariants)).toMatchObject([{ ok: false }, { ok: true }]);
    await server.rows('update sales_totals set revenue = revenue - 1 where placed = 2');
  });

  test('is compared with as many days before, or with those of a week or a year ago', async () => {
    const { compared } = await read(shop, `sales?from=${days[1]}&to=${days[1]}`);
    expect(compared).toMatchObject({ from: days[0], to: days[0], total: { orders: 0 } });
    const week = await read(shop, 'sales?from=2027-03-01&to=2027-03-01&compare=week');
    expect(week.compared).toMatchObject({ from: '2027-02-22', to: '2027-02-22' });
    const year = await read(shop, 'sales?from=2028-02-28&to=2028-02-29&compare=year');
    expect(year.compared).toMatchObject({ from: '2027-02-28', to: '2027-02-28' });
  });

  test('by weeks and months has every interval of the period', async () => {
    const weeks = await read(shop, 'sales?from=2027-01-06&to=2027-01-20&interval=week&compare=none');
    expect(weeks.period.intervals.map(({ start }: Figures) => start)).toEqual([
      '2027-01-04',
      '2027-01-11',
      '2027-01-18',
    ]);
    const months = await read(shop, 'sales?from=2027-01-06&to=2027-03-01&interval=month&compare=none');
    expect(months.period.intervals.map(({ start }: Figures) => start)).toEqual([
      '2027-01-01',
      '2027-02-01',
      '2027-03-01',
    ]);
  });

  test.each([
    ['sales?from=2027-01-02&to=2027-01-01', 'to'],
    ['sales?from=2020-01-01&to=2027-01-01', 'from'],
    ['sales?from=yesterday', 'from'],
  ])('%s names the field at fault', async (query, field) => {
    const { status, body } = await ask(shop, query);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ field }]);
  });

  test('of another company is not shown', async () => {
    const other = await makeShop();
    const { period } = await read(other.shop, `sales?from=${days[0]}&to=${days[3]}&compare=none`);
    expect(period.total.orders).toBe(0);
  });
});

test('carts of a period are counted by how far they came, on days of the shop’s time zone', async () => {
  const { shop, product } = await makeShop();
  const begin = async (cart: object): Promise<number> => {
    const made = await shop.commerce('POST', '/carts', cart);
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  const lines = [{ product_id: product, qty: 1 }];
  const start = new Date(Math.ceil(server.clock.now().getTime() / DAY_MS) * DAY_MS + DAY_MS);
  server.clock.advance(start.getTime() - server.clock.now().getTime());
  const [today, tomorrow] = [0, 1].map((n) => new Date(start.getTime() + n * DAY_MS).toISOString().slice(0, 10));
  await begin({});
  await begin({ lines });
  await begin({ lines, email: 'ada@example.com' });
  const placed = await begin({ lines, email: 'ben@example.com', ...ADDRESS });
  expect((await shop.commerce('POST', `/carts/${placed}/place`)).status).toBe(200);
  // 23 hours later it is the next day in Auckland.
  server.clock.advance(23 * 3_600_000);
  await begin({ lines });
  expect(await read(shop, `carts?from=${today}&to=${today}`)).toEqual({
    from: today,
    to: today,
    begun: 3,
    with_address: 2,
    placed: 1,
  });
  expect(await read(shop, `carts?from=${tomorrow}&to=${tomorrow}`)).toMatchObject({ begun: 1, with_address: 0 });
  expect(await read(shop, 'carts')).toMatchObject({ to: tomorrow, begun: 4 });
  expect((await ask(shop, `carts?from=${tomorrow}&to=${today}`)).status).toBe(400);
});

test('best sellers and products running out are based on the last 30 days', async () => {
  const { shop, order, product } = await makeShop();
  await order(0, 12);
  expect(await read(shop, 'products')).toEqual({
    currency: 'NZD',
    best_sellers: [{ product_id: product, name: 'Tea', qty: 12, revenue: 120, stock_qty: 28, days_left: 70 }],
    running_out: [],
  });
  await order(1, 18);
  expect((await read(shop, 'products')).running_out).toMatchObject([{ stock_qty: 10, days_left: 10 }]);
  expect((await shop.commerce('PATCH', `/products/${product}`, { archived: true })).status).toBe(200);
  expect((await read(shop, 'products')).best_sellers).toEqual([]);
  server.clock.advance(31 * DAY_MS);
  expect((await read(shop, 'products')).running_out).toEqual([]);
});

test('best sellers are products or variants, and variants run out by themselves', async () => {
  const { shop, order, product } = await makeShop();
  await order(0, 12);
  const size = (value: string, stock_qty: number) => ({
    options: [{ name: 'Size', value }],
    price: 10,
    stock_qty,
  });
  const made = await shop.commerce('POST', '/products', {
    name: 'Shirt',
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: [size('S', 20), size('M', 900)],
  });
  const [small, medium] = made.body.data.variants.map(({ id }: { id: number }) => id);
  for (const [product_id, qty] of [
    [small, 15],
    [medium, 2],
  ]) {
    const customer = await shop.commerce('GET', '/customers');
    const items = [{ product_id, qty }];
    const placed = await shop.commerce('POST', '/orders', { customer_id: customer.body.data[0].id, items, ...ADDRESS });
    expect(placed.status).toBe(201);
  }
  const parent = made.body.data.id;
  const byProduct = await read(shop, 'products');
  expect(byProduct.best_sellers).toMatchObject([
    { product_id: parent, name: 'Shirt', qty: 17, revenue: 170, stock_qty: 903 },
    { product_id: product, qty: 12 },
  ]);
  expect(byProduct.running_out).toMatchObject([{ product_id: small, name: 'Shirt – S', stock_qty: 5 }]);
  const byVariant = await read(shop, 'products?by=variant');
  expect(byVariant.best_sellers).toMatchObject([
    { product_id: small, qty: 15 },
    { product_id: product },
    { product_id: medium },
  ]);
  expect((await ask(shop, 'products?by=size')).status).toBe(400);
});

test('what needs attention is counted by kind, and nothing else is named', async () => {
  const { shop, order } = await makeShop();
  await order(0, 1);
  expect(await read(shop, 'attention')).toEqual([]);
  server.clock.advance(DAY_MS + 1_000);
  await server.rows(
    `insert into outbox_refusals (company_id, id, topic, payload, occurred_at, reason, refused_at)
     values ($1, 1, 'order_placed', '{}', now(), 'no', now())`,
    [shop.company_id],
  );
  expect(await read(shop, 'attention')).toEqual([
    { kind: 'orders_waiting', count: 1, hint: null },
    { kind: 'events_refused', count: 1, hint: null },
  ]);
  const clerk = await testPerson(server, { [shop.company_id]: 'fulfilment' });
  expect((await clerk.ask('GET', `/${shop.company_id}/overview/attention`)).body).toEqual([
    { kind: 'orders_waiting', count: 1, hint: null },
  ]);
});

test('orders that are paid too little or too much need attention, those without a payment do not', async () => {
  const { shop, order } = await makeShop();
  const method = await shop.commerce('POST', '/payment-methods', { name: 'Transfer', kind: 'bank_transfer' });
  const pay = (id: number, amount: number) =>
    shop.commerce('POST', `/orders/${id}/payments`, { method_id: method.body.data.id, amount });
  const [short, much, even] = [await order(0, 1), await order(0, 1), await order(1, 1), await order(1, 1)];
  await Promise.all([pay(short!, 4), pay(much!, 11), pay(even!, 10)]);
  const unbalanced = [
    { kind: 'orders_unpaid', count: 1, hint: null },
    { kind: 'orders_to_pay_back', count: 1, hint: null },
  ];
  expect(await read(shop, 'attention')).toEqual(unbalanced);
  const set = (id: number, change: string, given: unknown[] = []) =>
    server.rows(`update payments set ${change} where company_id = $1 and order_id = $2`, [
      shop.company_id,
      id,
      ...given,
    ]);
  const inDays = (days: number) => new Date(server.clock.now().getTime() + days * DAY_MS);
  await set(short!, "attention = 'dispute'");
  await set(much!, "status = 'authorized', authorized_until = $3", [inDays(2)]);
  await set(even!, "status = 'authorized', authorized_until = $3", [inDays(4)]);
  expect(await read(shop, 'attention')).toEqual([...unbalanced, { kind: 'payments_to_check', count: 2, hint: null }]);
});
