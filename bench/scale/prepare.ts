import type pg from 'pg';
import { EMPTY_DEFINITION } from '../../src/marketing/flows/definition/definition.ts';
import { copyRows } from './copy.ts';
import type { Measure } from './measure.ts';
import { MAIL_STEP } from './rows/messages.ts';
import { priceOf } from './rows/orders.ts';
import type { FilledShop, IdRange } from './shop.ts';
import { PEOPLE } from './tables.ts';

export interface ShopSize {
  products: number;
  customers: number;
  contacts: number;
}

/** So many that no test runs out of stock. */
const STOCK = 1_500_000_000;

/** Reserves ids of an identity column; nothing else inserts rows into the table meanwhile. */
export async function reserveIds(client: pg.ClientBase, table: string, count: number): Promise<IdRange> {
  const sequence = table === 'events' ? "'event_ids'" : `pg_get_serial_sequence('${table}', 'id')`;
  const { rows } = await client.query<{ first: string }>(`select nextval(${sequence}) as first`);
  const first = Number(rows[0]!.first);
  if (count > 0) await client.query(`select setval(${sequence}, $1)`, [first + count - 1]);
  return { first, count };
}

interface NewShop {
  companyId: number;
  seed: string;
  size: ShopSize;
  from: Date;
}

/** Creates products in stock, people, a list, a flow and a webhook endpoint for a new company. */
export async function prepareShop(client: pg.ClientBase, measure: Measure, made: NewShop): Promise<FilledShop> {
  const shop = await addRecords(client, made);
  for (const { table, columns, rows } of PEOPLE) {
    await measure(table, () => copyRows(client, { table, columns }, (row) => rows(row, shop)));
  }
  await addStock(client, shop);
  return shop;
}

/** Creates the records of which a shop has few; reserves ids for its people. */
export async function addRecords(client: pg.ClientBase, { companyId, seed, size, from }: NewShop): Promise<FilledShop> {
  const products = await reserveIds(client, 'products', size.products);
  await addProducts(client, companyId, products, from);
  const customers = await reserveIds(client, 'customers', Math.min(size.customers, size.contacts));
  const contacts = await reserveIds(client, 'contacts', size.contacts);
  const listId = await idOf(
    client,
    "insert into lists (company_id, name, created_at, updated_at) values ($1, 'Newsletter', $2, $2) returning id",
    [companyId, from],
  );
  const flowId = await addFlow(client, companyId, from);
  const endpointId = await idOf(
    client,
    `insert into webhook_endpoints (company_id, url, secret, created_at, updated_at)
     values ($1, 'https://shop.example/hooks', '\\x00', $2, $2) returning id`,
    [companyId, from],
  );
  return { companyId, seed, from, products, customers, contacts, listId, flowId, endpointId };
}

async function addProducts(client: pg.ClientBase, companyId: number, { first, count }: IdRange, from: Date) {
  const prices = Array.from({ length: count }, (_, n) => priceOf(n));
  await client.query(
    `insert into products (company_id, id, name, slug, description, price, sku, search, in_stock, created_at, updated_at)
     overriding system value
     select $1, $2::bigint + n - 1, 'Product ' || n - 1, 'product-' || n - 1, 'What there is to say of product ' || n - 1, price,
       'SKU-' || n - 1, 'product ' || n - 1, true, $4, $4
     from unnest($3::bigint[]) with ordinality as p (price, n)`,
    [companyId, first, prices, from],
  );
}

/** The stock of each product when the shop began. */
export async function addStock(client: pg.ClientBase, { companyId, products, from }: FilledShop): Promise<void> {
  await client.query(
    `with stocked as (
       insert into product_stock (company_id, product_id, stock_qty)
       select $1, $2::bigint + n, $4 from generate_series(0, $3::int - 1) n returning product_id, stock_qty
     )
     insert into stock_movements (company_id, product_id, kind, delta, actor, created_at)
     select $1, product_id, 'initial', stock_qty, 'cli', $5 from stocked`,
    [companyId, products.first, products.count, STOCK, from],
  );
}

async function addFlow(client: pg.ClientBase, companyId: number, from: Date): Promise<number> {
  const step = { step_id: MAIL_STEP, type: 'send_email', config: { subject: 'Hello', content: '<p>Hello</p>' } };
  const definition = JSON.stringify({
    ...EMPTY_DEFINITION,
    steps: [step],
    connections: [{ from: 'trigger', to: MAIL_STEP }],
  });
  const id = await idOf(
    client,
    `insert into flows (company_id, name, status, trigger_type, definition, version, created_at, updated_at)
     values ($1, 'Thank you', 'paused', 'order_placed', $2, 1, $3, $3) returning id`,
    [companyId, definition, from],
  );
  await client.query(
    `insert into flow_versions (company_id, flow_id, version, name, trigger_type, definition, listens, awaits, created_at)
     values ($1, $2, 1, 'Thank you', 'order_placed', $3, '{}', '{}', $4)`,
    [companyId, id, definition, from],
  );
  return id;
}

export async function idOf(client: pg.ClientBase, insert: string, values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ id: string }>(insert, values);
  return Number(rows[0]!.id);
}
