import type { TestCompany, TestServer } from '../../testing/harness.ts';

/** Returns a generator of numbers below n; the same seed produces the same numbers. */
export function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

export interface MadeOrder {
  id: number;
  customer: number;
  status: string;
  at: Date;
  items: { product: number; qty: number }[];
}

export interface MadeShop {
  products: { id: number; categories: string[]; sold: boolean }[];
  orders: MadeOrder[];
}

export const CATEGORIES = ['coffee', 'mugs', 'tea'];

/** Creates products, some of them archived or sold out, each in up to two categories. */
export async function makeProducts(
  server: TestServer,
  company: TestCompany,
  { count, roll }: { count: number; roll: (n: number) => number },
): Promise<MadeShop['products']> {
  const now = server.clock.now();
  const wanted = Array.from({ length: count }, (_, i) => ({
    name: `Product ${i}`,
    archived: roll(10) === 0,
    stocked: roll(8) !== 0,
    categories: CATEGORIES.filter(() => roll(3) === 0),
  }));
  const rows = await server.rows<{ id: string }>(
    `insert into products (company_id, name, slug, price, search, in_stock, archived_at, created_at, updated_at)
     select $1, name, replace(name, ' ', '-'), 1250, '', stocked, case when archived then $3::timestamptz end, $3, $3
     from jsonb_to_recordset($2) as t (name text, archived boolean, stocked boolean) returning id`,
    [company.company_id, JSON.stringify(wanted), now],
  );
  await server.rows(
    `insert into categories (company_id, slug, name, created_at) select $1, slug, slug, $3 from unnest($2::text[]) slug`,
    [company.company_id, CATEGORIES, now],
  );
  const products = wanted.map(({ archived, stocked, categories }, i) => {
    return { id: Number(rows[i]!.id), categories, sold: stocked && !archived };
  });
  const places = products.flatMap(({ id, categories }) => categories.map((slug) => ({ id, slug })));
  await server.rows(
    `insert into product_categories (company_id, slug, product_id)
     select $1, slug, id from jsonb_to_recordset($2) as t (id bigint, slug text)`,
    [company.company_id, JSON.stringify(places)],
  );
  return products;
}

/** Creates orders of up to 100 days ago, some of them cancelled, whose dates do not follow their ids. */
export async function makeOrders(
  server: TestServer,
  company: TestCompany,
  { products, count, roll }: { products: MadeShop['products']; count: number; roll: (n: number) => number },
): Promise<MadeOrder[]> {
  const now = server.clock.now().getTime();
  const wanted = Array.from({ length: count }, () => ({
    customer: roll(60) + 1,
    status: roll(9) === 0 ? 'cancelled' : 'delivered',
    at: new Date(now - roll(100 * 24) * 3_600_000 - 1_000),
    // Some products are bought more often than others; a product may occur twice in an order, as in an import.
    items: Array.from({ length: 1 + roll(5) }, () => {
      return { product: products[Math.min(roll(products.length), roll(products.length))]!.id, qty: 1 + roll(4) };
    }),
  }));
  const rows = await server.rows<{ id: string }>(
    `insert into orders (company_id, customer_id, status, subtotal, discount, tax, shipping, total, shipping_address,
       shipping_city, shipping_zip, shipping_country, created_at, updated_at)
     select $1, customer, status, 1000, 0, 0, 0, 1000, 'a', 'b', '1', 'US', at, at
     from rows from (jsonb_to_recordset($2) as (customer bigint, status text, at timestamptz))
       with ordinality as t (customer, status, at, n) order by n
     returning id`,
    [company.company_id, JSON.stringify(wanted.map(({ items: _, ...order }) => order))],
  );
  const orders = wanted.map((order, i) => ({ ...order, id: Number(rows[i]!.id) }));
  const lines = orders.flatMap(({ id, items }) => items.map((item, line) => ({ id, line, ...item })));
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select $1, id, line, product, 'P', qty, 1250, qty * 1250
     from jsonb_to_recordset($2) as t (id bigint, line smallint, product bigint, qty int)`,
    [company.company_id, JSON.stringify(lines)],
  );
  return orders;
}

const DAY_MS = 86_400_000;
type Sums = Map<number, number>;
const add = (sums: Sums, id: number, n: number): Sums => sums.set(id, (sums.get(id) ?? 0) + n);
/** Highest first; for equal sums, the lower id first. */
const ranked = (sums: Sums): number[] => [...sums].sort(([a, n], [b, m]) => m - n || a - b).map(([id]) => id);

/** Computes the expected results by going through all orders. */
export function bruteForce({ products, orders }: MadeShop, now: Date, mostBeside: number) {
  const soldNow = new Set(products.filter(({ sold }) => sold).map(({ id }) => id));
  const since = now.getTime() - 90 * DAY_MS;
  const counting = orders.filter(({ status, at }) => status !== 'cancelled' && at.getTime() >= since);
  const qty: Sums = new Map();
  const together = new Map<number, Sums>();
  for (const { items } of counting) {
    for (const { product, qty: n } of items) add(qty, product, n);
    const bought = new Set(items.map(({ product }) => product));
    for (const one of bought) {
      const beside = together.get(one) ?? new Map<number, number>();
      together.set(one, beside);
      for (const other of bought) if (other !== one && soldNow.has(other)) add(beside, other, 1);
    }
  }
  const best = ranked(qty).filter((id) => soldNow.has(id));
  const inCategory = (slug: string) => new Set(products.filter((p) => p.categories.includes(slug)).map(({ id }) => id));
  return {
    best,
    ofCategory: (slug: string): number[] => best.filter((id) => inCategory(slug).has(id)),
    /** Returns what goes with the latest order of a customer. */
    besideLast(customer: number): number[] {
      const last = orders
        .filter((order) => order.customer === customer && order.status !== 'cancelled')
        .sort((a, b) => b.id - a.id)
        .slice(0, 20)
        .sort((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)[0];
      const bought = new Set(last?.items.map(({ product }) => product) ?? []);
      const sums: Sums = new Map();
      for (const one of bought) {
        const beside = together.get(one) ?? new Map<number, number>();
        for (const other of ranked(beside).slice(0, mostBeside)) {
          if (!bought.has(other) && soldNow.has(other)) add(sums, other, beside.get(other)!);
        }
      }
      return ranked(sums);
    },
  };
}
