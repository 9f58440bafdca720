import { beforeAll, describe, expect, test } from 'vitest';
import { foldDeltas } from '../../../db/counters.ts';
import { settle } from '../../../erasure/markers.ts';
import { checkInvariants } from '../../../invariants.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { allSlices } from '../../../work/slices.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
const MANY = 100_000;
let shop: TestCompany;
let product_id: number;
let people = 0;

beforeAll(async () => {
  shop = await server.company();
  const mug = { name: 'Mug', price: 10, stock_qty: MANY, subscription_enabled: true };
  product_id = (await shop.commerce('POST', '/products', mug)).body.data.id;
});

async function made(path: string, body: object): Promise<TestBody> {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
}

async function customer(fields: object = {}): Promise<number> {
  return (await made('/customers', { email: `person${++people}@example.com`, ...fields })).id;
}

const orderOf = (customer_id: number) => ({ customer_id, items: [{ product_id, qty: 1 }], ...ADDRESS });
const merge = (into: number, from: number) => shop.commerce('POST', `/customers/${into}/merge`, { from });
const contactOf = async (id: number): Promise<TestBody> => {
  const [row] = await server.rows<{ id: number }>(
    'select id::int from contacts where company_id = $1 and external_id = $2',
    [shop.company_id, String(id)],
  );
  return row === undefined ? null : (await shop.marketing('GET', `/contacts/${row.id}`)).body;
};

async function expectIntact(): Promise<void> {
  for (const name of ['counter', 'sales'] as const) await allSlices(foldDeltas(server.app.db, name));
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
}

describe('POST /customers/{id}/merge', () => {
  test('moves orders, points, subscriptions and notes, fills empty fields, and removes the other customer', async () => {
    const into = await customer({ metadata: { tier: 'gold' } });
    const from = await customer({
      first_name: 'Ann',
      phone: '+12025550123',
      ...ADDRESS,
      metadata: { tier: 'x', old: 1 },
    });
    for (const one of [into, from, from]) await made('/orders', orderOf(one));
    await made(`/customers/${from}/loyalty/adjust`, { points: 7, reason: 'sorry' });
    const sub = await made('/subscriptions', { customer_id: from, product_id, frequency_id: 3 });
    const note = await made(`/customers/${from}/notes`, { text: 'Rings twice' });
    const { email } = (await shop.commerce('GET', `/customers/${into}`)).body.data;

    const { status, body } = await merge(into, from);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: into,
      email,
      first_name: 'Ann',
      phone: '+12025550123',
      shipping_city: 'Salem',
      metadata: { tier: 'gold', old: 1 },
    });
    expect((await shop.commerce('GET', `/customers/${into}/orders`)).body.meta.pagination.total).toBe(3);
    expect((await shop.commerce('GET', `/customers/${into}/loyalty`)).body.data).toMatchObject({
      current_balance: 37,
      lifetime_points: 30,
    });
    expect((await shop.commerce('GET', `/customers/${into}/notes`)).body.data).toMatchObject([{ id: note.id }]);
    expect((await shop.commerce('GET', `/subscriptions/${sub.id}`)).body.data.customer_id).toBe(into);
    for (const path of ['', '/orders', '/loyalty', '/notes', '/export']) {
      expect([path, (await shop.commerce('GET', `/customers/${from}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await shop.commerce('POST', '/orders', orderOf(from))).status).toBe(422);
    expect((await merge(into, from)).body.error.details.fields).toMatchObject([{ field: 'from', code: 'unknown' }]);
    const entries = await server.rows(
      "select target, details from audit_log where company_id = $1 and action = 'customer.merge'",
      [shop.company_id],
    );
    expect(entries).toEqual([{ target: `customer:${into}`, details: { from } }]);
    await expectIntact();
  });

  test('refuses a customer with themselves, an unknown one, and one with too many orders', async () => {
    const id = await customer();
    expect((await merge(id, id)).body.error.details.fields).toMatchObject([{ field: 'from', code: 'not_allowed' }]);
    expect((await merge(id, 999_999)).status).toBe(422);
    expect((await merge(999_999, id)).status).toBe(404);
    const busy = await customer();
    await server.rows('insert into customer_accounts (company_id, customer_id, order_count) values ($1, $2, 5001)', [
      shop.company_id,
      busy,
    ]);
    expect((await merge(id, busy)).body.error.details.fields).toMatchObject([{ field: 'from', code: 'too_many' }]);
    await server.rows('delete from customer_accounts where customer_id = $1', [busy]);
  });

  test('the contacts become one, with the events of both; what waited in the outbox arrives there too', async () => {
    const into = await customer({ accepts_marketing: true });
    const from = await customer({ accepts_marketing: true });
    await made('/orders', orderOf(from));
    await settle(server);
    const [winner, loser] = [await contactOf(into), await contactOf(from)];
    // This order's event is not transferred before the merge.
    await made('/orders', orderOf(from));
    await merge(into, from);
    await settle(server);
    expect((await shop.marketing('GET', `/contacts/${loser.contact_id}`)).status).toBe(404);
    expect(await contactOf(from)).toBeNull();
    expect(await contactOf(into)).toMatchObject({
      contact_id: winner.contact_id,
      email: winner.email,
      status: 'subscribed',
      properties: { loyalty_points: 20 },
    });
    const { timeline } = (await shop.marketing('GET', `/contacts/${winner.contact_id}/timeline`)).body;
    const types = timeline.map(({ type, data }: TestBody) => (type === 'event' ? data.event_type : type));
    expect(types.filter((type: string) => type === 'order_placed')).toHaveLength(2);
    expect(types).toContain('merged');
  });

  test('merging into a customer without a contact makes the merged contact that of both', async () => {
    const from = await customer();
    await settle(server);
    const { contact_id } = await contactOf(from);
    const into = await customer({ accepts_marketing: true });
    await merge(into, from);
    await settle(server);
    expect(await contactOf(from)).toBeNull();
    expect(await contactOf(into)).toMatchObject({ contact_id });
  });

  test.each(['goes', 'stays'])(
    'consent: the no of the customer who %s holds, the yes of the other does not',
    async (who) => {
      const into = await customer({ accepts_marketing: true });
      const from = await customer({ accepts_marketing: true });
      await settle(server);
      const { contact_id } = await contactOf(who === 'goes' ? from : into);
      await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`, {});
      const { data } = (await merge(into, from)).body;
      if (who === 'goes') expect(data.accepts_marketing).toBe(false);
      await settle(server);
      expect((await contactOf(into)).consent.email.state).toBe('unsubscribed');
    },
  );

  test('customers merged one after the other, before marketing was notified, become one contact', async () => {
    const [a, b, c] = [await customer(), await customer(), await customer()] as [number, number, number];
    for (const one of [a, b, c]) await made('/orders', orderOf(one));
    await settle(server);
    await merge(b, a);
    await merge(c, b);
    await settle(server);
    expect([await contactOf(a), await contactOf(b)]).toEqual([null, null]);
    expect((await contactOf(c)).properties.loyalty_points).toBe(30);
    expect(await server.rows('select merged_into::int from customers where id = any($1)', [[a, b]])).toEqual([
      { merged_into: c },
      { merged_into: c },
    ]);
  });

  test('an erasure finds the contact of a customer merged just before', async () => {
    const into = await customer();
    const from = await customer({ first_name: 'Zebrafinch' });
    await settle(server);
    await merge(into, from);
    await shop.commerce('DELETE', `/customers/${into}`);
    await settle(server);
    expect([await contactOf(into), await contactOf(from)]).toEqual([null, null]);
    expect(await server.rows("select id from contacts where first_name = 'Zebrafinch'")).toEqual([]);
    await expectIntact();
  });

  test('concurrent changes to both end up with the remaining customer', async () => {
    for (let round = 0; round < 8; round++) {
      const [into, from] = [await customer(), await customer()] as [number, number];
      const before = (await made('/orders', orderOf(from))).id;
      const work = [
        ...Array.from({ length: 6 }, (_, n) => shop.commerce('POST', '/orders', orderOf(n % 2 === 0 ? from : into))),
        merge(into, from),
        shop.commerce('POST', `/customers/${from}/loyalty/adjust`, { points: 3 }),
        shop.commerce('POST', `/customers/${from}/notes`, { text: 'note' }),
        shop.commerce('PATCH', `/orders/${before}/status`, { status: 'cancelled' }),
        shop.commerce('POST', '/subscriptions', { ...ADDRESS, customer_id: from, product_id, frequency_id: 3 }),
        shop.commerce('PATCH', `/customers/${from}`, { first_name: 'Ann' }),
        ...Array.from({ length: 4 }, () => shop.commerce('POST', '/orders', orderOf(from))),
      ];
      const statuses = (await Promise.all(work)).map(({ status }) => status);
      expect(statuses.filter((status) => ![200, 201, 404, 422].includes(status))).toEqual([]);
      expect(statuses[6]).toBe(200);
      for (const table of ['orders', 'subscriptions', 'notes', 'loyalty_ledger']) {
        const left = await server.rows(`select 1 from ${table} where customer_id = $1`, [from]);
        expect([table, left.length]).toEqual([table, 0]);
      }
    }
    await settle(server);
    await expectIntact();
    const counted = await server.rows(
      `select a.customer_id from customer_accounts a
       where a.order_count <> (select count(*) from orders o where o.company_id = a.company_id and o.customer_id = a.customer_id)`,
    );
    expect(counted).toEqual([]);
  });

  test('merges that meet, in any direction, leave one customer of each pair', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await customer(), await customer()] as [number, number];
      for (const one of [a, b]) await made('/orders', orderOf(one));
      const [one, other] = await Promise.all([merge(a, b), merge(b, a)]);
      expect([one!.status, other!.status].sort()).toEqual([200, 404]);
      const left = one!.status === 200 ? a : b;
      expect((await shop.commerce('GET', `/customers/${left}/orders`)).body.meta.pagination.total).toBe(2);
    }
    await expectIntact();
  });
});
