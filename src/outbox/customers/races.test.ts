import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { random } from '../../testing/random/seed.ts';
import { createOutboxWorker } from '../worker.ts';

/**
 * Customers give up addresses, take those of others and order at the same time, while several workers transfer the events. In the end every
 * contact matches its customer in the shop, and no event is lost or stored with somebody else.
 */
const server = testServer({ impatient: true });

const ROUNDS = Number(process.env.CUSTOMER_RACES ?? 2);
const LANES = 8;
const TURNS = 12;
const ADDRESSES = Array.from({ length: 6 }, (_, i) => `race${i}@example.com`);
const PHONES = ['+12133734253', '+12133734254', '', null];
const DELIVERY = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };

interface Race {
  shop: TestCompany;
  product: number;
  customers: number[];
  orders: number;
}

async function turn(race: Race, pick: (below: number) => number): Promise<void> {
  const { shop, customers, product } = race;
  const email = ADDRESSES[pick(ADDRESSES.length)]!;
  const customer = customers[pick(customers.length)]!;
  const kind = pick(10);
  if (kind < 4) {
    const patch = pick(3) === 0 ? { email: `left${customer}@example.com` } : { email };
    const { status } = await shop.commerce('PATCH', `/customers/${customer}`, { ...patch, first_name: `N${pick(99)}` });
    expect([200, 422]).toContain(status);
  } else if (kind < 5) {
    const phone = PHONES[pick(PHONES.length)]!;
    expect((await shop.commerce('PATCH', `/customers/${customer}`, { phone })).status).toBe(200);
  } else if (kind < 6) {
    const { status, body } = await shop.commerce('POST', '/customers', { email, first_name: `C${pick(99)}` });
    expect([201, 422]).toContain(status);
    if (status === 201) customers.push(body.data.id);
  } else if (kind < 9) {
    const items = [{ product_id: product, qty: 1 }];
    const { status } = await shop.commerce('POST', '/orders', { customer_id: customer, items, ...DELIVERY });
    expect(status).toBe(201);
    race.orders++;
  } else {
    // Somebody signs up for news with an address that may belong to a customer.
    const { status } = await shop.marketing('POST', '/contacts', { email, tags: ['news'] });
    expect([200, 201]).toContain(status);
  }
}

async function begin(): Promise<Race> {
  const shop = await server.company();
  const made = await shop.commerce('POST', '/products', { name: 'Thing', price: 5, stock_qty: 9_999 });
  const customers: number[] = [];
  for (let i = 0; i < 4; i++) {
    const email = `first${i}@example.com`;
    customers.push((await shop.commerce('POST', '/customers', { email, first_name: 'F' })).body.data.id);
  }
  return { shop, product: made.body.data.id, customers, orders: 0 };
}

test.each(Array.from({ length: ROUNDS }, (_, i) => i + 1))('race %i ends with what the shop has', async (number) => {
  const race = await begin();
  const { shop } = race;
  const workers = [1, 2].map(() => createOutboxWorker({ ...server.app, onTransferred: () => {} }));
  let racing = true;
  const carrying = workers.map(async (worker, i) => {
    while (racing) {
      await worker.runOnce();
      await sleep(3 + 5 * i);
    }
  });
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const pick = random(number * 1_000 + lane);
    for (let i = 0; i < TURNS; i++) await turn(race, pick);
  });
  try {
    await Promise.all(lanes);
  } finally {
    racing = false;
    await Promise.all(carrying);
  }
  while ((await workers[0]!.runOnce()) > 0);

  const values = [shop.company_id];
  const compared = await server.rows<Record<string, string | null>>(
    `select k.id, lower(k.email) as shop, c.email as marketing, k.first_name as shop_name, c.first_name as marketing_name
     from customers k left join contacts c on c.company_id = k.company_id and c.external_id = k.id::text
     where k.company_id = $1`,
    values,
  );
  expect(compared).toHaveLength(race.customers.length);
  expect(compared.filter((row) => row.shop !== row.marketing || row.shop_name !== row.marketing_name)).toEqual([]);
  // No contact has a phone number that its customer does not have.
  const phones = await server.rows(
    `select c.external_id from contacts c join customers k on k.company_id = c.company_id and k.id::text = c.external_id
     where c.company_id = $1 and c.phone is distinct from k.phone and c.phone is not null`,
    values,
  );
  expect(phones).toEqual([]);
  expect(await server.rows('select topic, reason from outbox_refusals where company_id = $1', values)).toEqual([]);
  const [events] = await server.rows<Record<string, number>>(
    `select count(*) filter (where event_type = 'order_placed')::int as orders,
       count(*) filter (where event_type = 'customer_created')::int as created,
       count(*) filter (where c.external_id is distinct from e.data ->> 'customer_id')::int as astray
     from events e left join contacts c on c.company_id = e.company_id and c.id = e.contact_id where e.company_id = $1`,
    values,
  );
  expect(events).toEqual({ orders: race.orders, created: race.customers.length, astray: 0 });
});
