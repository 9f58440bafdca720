import { beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { testPerson } from '../../../testing/people.ts';
import { recordStatements } from '../../../testing/statements.ts';
import { foldCustomerFigures } from './figures.ts';

const server = testServer();
let shop: TestCompany;
let tea: number;

const made = async (path: string, body: object): Promise<number> => {
  const response = await shop.commerce('POST', path, body);
  expect([path, response.status]).toEqual([path, 201]);
  return response.body.data.id;
};
const order = (customer_id: number, qty: number) =>
  made('/orders', {
    customer_id,
    items: [{ product_id: tea, qty }],
    shipping_address: '1 Lane',
    shipping_city: 'Oslo',
    shipping_zip: '0150',
    shipping_country: 'NO',
  });
const fold = async (): Promise<void> => {
  const slice = foldCustomerFigures(server.app.db.chores);
  while ((await slice(null)).next !== null);
};
const figures = () =>
  server.rows<{ customer: number; spent: number; refunded: number; last: string | null }>(
    `select customer_id::int as customer, spent::int, refunded::int, nullif(last_order_at, '-infinity')::text as last
     from customer_figures where company_id = $1 order by 1`,
    [shop.company_id],
  );
/** Returns what the figures must be, computed from the orders themselves. */
const recount = () =>
  server.rows<{ customer: number; spent: number; refunded: number; last: string | null }>(
    `select c.id::int as customer, coalesce(sum(o.total) filter (where o.status <> 'cancelled'), 0)::int as spent,
       coalesce(sum(least(o.total, greatest(0, b.refunded - greatest(0, b.paid - o.total)))) filter (where o.status <> 'cancelled'), 0)::int
         as refunded,
       max(o.created_at)::text as last
     from customers c left join orders o on o.company_id = c.company_id and o.customer_id = c.id
     left join order_balances b on b.company_id = o.company_id and b.order_id = o.id
     where c.company_id = $1 and c.erased_at is null group by 1 order by 1`,
    [shop.company_id],
  );
const listed = async (query: string) =>
  (await shop.commerce('GET', `/customers?${query}`)).body.data.map(({ id }: { id: number }) => id);

beforeAll(async () => {
  shop = await server.company();
  tea = await made('/products', { name: 'Tea', price: 5, stock_qty: 500 });
});

test('customers are sorted by total spent and by last order, across cancellations, merges and erasures', async () => {
  const ids: number[] = [];
  for (const name of ['ann', 'ben', 'cem', 'dee']) ids.push(await made('/customers', { email: `${name}@example.com` }));
  const [ann, ben, cem, dee] = ids as [number, number, number, number];
  await order(ann, 3);
  server.clock.advance(60_000);
  const large = await order(ben, 9);
  server.clock.advance(60_000);
  await order(cem, 1);
  await fold();
  expect(await figures()).toEqual(await recount());
  expect(await listed('sort=spent_desc')).toEqual([ben, ann, cem, dee]);
  expect(await listed('sort=spent_asc&per_page=2&page=2')).toEqual([ann, ben]);
  expect(await listed('sort=last_order_desc')).toEqual([cem, ben, ann, dee]);
  expect(await listed('sort=last_order_asc&search=example')).toEqual([dee, ann, ben, cem]);
  expect(await listed('sort=spent_desc&search=b')).toEqual([ben]);

  await shop.commerce('PATCH', `/orders/${large}/status`, { status: 'cancelled' });
  await order(dee, 2);
  await fold();
  expect(await figures()).toEqual(await recount());
  expect(await listed('sort=spent_desc')).toEqual([ann, dee, cem, ben]);

  // The merge reassigns the order whose delta is pending: it must not be counted twice.
  await order(cem, 20);
  expect((await shop.commerce('POST', `/customers/${dee}/merge`, { from: cem })).status).toBe(200);
  await order(dee, 1);
  await fold();
  expect(await figures()).toEqual(await recount());
  expect(await listed('sort=spent_desc')).toEqual([dee, ann, ben]);

  expect((await shop.commerce('DELETE', `/customers/${dee}`)).status).toBe(200);
  await fold();
  expect(await figures()).toEqual(await recount());
  expect(await listed('sort=spent_desc')).toEqual([ann, ben]);
  expect(await server.rows('select from customer_figure_deltas')).toEqual([]);
});

test('orders that are there already are added up once, with those that come meanwhile', async () => {
  await server.rows('update customer_figures set spent = 7');
  await server.rows(
    'insert into customer_figure_deltas (company_id, customer_id, anew) select distinct company_id, customer_id, true from orders',
  );
  const [{ id }] = (await server.rows<{ id: number }>(
    "select id::int from customers where email = 'ann@example.com'",
  )) as [{ id: number }];
  await order(id, 4);
  await fold();
  expect(await figures()).toEqual(await recount());
});

test('figures know what was given back: not what was paid too much, and nothing of a cancelled order', async () => {
  const cash = await made('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true });
  const [eve, fay] = [
    await made('/customers', { email: 'eve@example.com' }),
    await made('/customers', { email: 'fay@example.com' }),
  ];
  const owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const pay = (id: number, amount: number) => made(`/orders/${id}/payments`, { method_id: cash, amount });
  const refund = (id: number, amount: number) => made(`/orders/${id}/refunds`, { amount });
  const sums = async (id: number) => {
    const { spent, refunded, net } = (await shop.commerce('GET', `/customers/${id}/figures`)).body.data;
    return [spent, refunded, net];
  };
  const sold = async () => {
    const { revenue, refunded, net } = (await owner.ask('GET', `/${shop.company_id}/overview/sales`)).body.period.total;
    return [revenue, refunded, net];
  };
  const [revenue, , net] = await sold();
  const first = await order(eve, 4);
  await pay(first, 25);
  await refund(first, 5);
  expect(await sums(eve)).toEqual([20, 0, 20]);
  await refund(first, 8);
  expect(await sums(eve)).toEqual([20, 8, 12]);
  const second = await order(eve, 2);
  await pay(second, 10);
  await refund(second, 3);
  await fold();
  expect(await sums(eve)).toEqual([30, 11, 19]);
  expect(await sold()).toEqual([revenue + 30, 11, net + 19]);
  await shop.commerce('PATCH', `/orders/${second}/status`, { status: 'cancelled' });
  expect(await sums(eve)).toEqual([20, 8, 12]);
  expect(await sold()).toEqual([revenue + 20, 8, net + 12]);
  const { payment_status, refunded } = (await shop.commerce('GET', `/orders/${second}`)).body.data;
  expect([payment_status, refunded]).toEqual(['partially_refunded', 3]);
  expect((await shop.commerce('POST', `/customers/${fay}/merge`, { from: eve })).status).toBe(200);
  expect(await sums(fay)).toEqual([20, 8, 12]);
  expect((await shop.commerce('GET', `/customers/${eve}/figures`)).status).toBe(404);
  await fold();
  expect(await figures()).toEqual(await recount());
  expect((await shop.commerce('DELETE', `/customers/${fay}`)).status).toBe(200);
  expect(await sold()).toEqual([revenue + 20, 8, net + 12]);
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
});

test('a page sorted by total spent is read in index order', async () => {
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     select $1, 'n' || n || '@example.com', '', now(), now() from generate_series(1, 20000) n`,
    [shop.company_id],
  );
  await server.rows('update customer_figures set spent = customer_id * 7919 % 10007 where spent = 0');
  await server.rows('vacuum analyze customer_figures');
  for (const [path, index] of [
    ['/customers?sort=spent_desc&page=700', 'customer_figures_spent'],
    ['/customers?sort=last_order_asc', 'customer_figures_last_order'],
  ] as const) {
    const sent = await recordStatements(async () => expect((await shop.commerce('GET', path)).status).toBe(200));
    const { text, values } = sent.find((one) => /offset \(select \$\d+::bigint\)/.test(one.text))!;
    const plan = JSON.stringify(await server.rows(`explain (format json) ${text}`, values));
    expect([path, plan.includes(`"${index}"`), plan.includes('"Sort"')]).toEqual([path, true, false]);
  }
});
