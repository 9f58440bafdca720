import pg from 'pg';
import { expect, test } from 'vitest';
import { PROGRAM_ROLE } from '../../../db/barrier/roles.ts';
import { testServer } from '../../../testing/harness.ts';
import { measuredPlan, recordStatements, rowsRead } from '../../../testing/statements.ts';

const server = testServer();

test('words that all products have read each of the newest orders’ products once, under the rights of the program', async () => {
  const shop = await server.company();
  const company = [shop.company_id];
  await server.rows(
    `insert into products (company_id, name, slug, price, search, created_at, updated_at)
     select $1, 'Ware kind ' || n, 'ware-' || n, 1, 'ware kind ' || n, now(), now() from generate_series(1, 3000) n`,
    company,
  );
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     values ($1, 'one@x.example', 'one@x.example', now(), now())`,
    company,
  );
  await server.rows(
    `insert into orders (company_id, customer_id, subtotal, discount, tax, shipping, total, shipping_address, shipping_city, shipping_zip, shipping_country, created_at, updated_at)
     select $1, (select min(id) from customers where company_id = $1), 1, 0, 0, 0, 1, 'a', 'b', '1', 'US', now(), now() from generate_series(1, 400)`,
    company,
  );
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select company_id, id, line, (select min(id) from products where company_id = $1) + (13 * id + line) % 3000, 'x', 1, 1, 1
     from orders, generate_series(0, 12) line where company_id = $1`,
    company,
  );
  await server.rows('vacuum analyze products, orders, order_items, customers');
  const sent = await recordStatements(async () => {
    const { body } = await shop.commerce('GET', '/orders?search=ware%20kind');
    expect(body.meta.pagination.total).toBe(400);
  });
  const search = sent.find(({ text }) => text.includes('json_agg(id order by'))!;
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    // An ordinary login has no such role: it is subject to the policies itself.
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [PROGRAM_ROLE]);
    if (rowCount === 1) await client.query(`set role ${PROGRAM_ROLE}`);
    const plan = await measuredPlan(async (text, values) => (await client.query(text, values)).rows, search);
    expect(rowsRead(plan, 'products')).toBeLessThan(2 * 400 * 13);
  } finally {
    await client.end();
  }
});
