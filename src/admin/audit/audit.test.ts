import { beforeAll, describe, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { Overloaded } from '../../errors.ts';
import { trailOf } from '../../http/api/audit.ts';
import { type Call, type Endpoint, route } from '../../http/api/endpoint.ts';
import { checkInvariants } from '../../invariants.ts';
import { getSegment, updateSegment } from '../../marketing/segments/contract.ts';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';
import { recordStatements } from '../../testing/statements.ts';

const server = testServer();
let shop: TestCompany;
let owner: TestPerson;
let clerk: TestPerson;

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  clerk = await testPerson(server, { [shop.company_id]: 'manager' });
});

const ask = (person: TestPerson, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  person.ask(method, `/${shop.company_id}${path}`, body, headers);

async function make(path: string, body: unknown): Promise<TestBody> {
  const response = await ask(owner, 'POST', path, body);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data ?? response.body;
}

async function entriesOf(query: string): Promise<TestBody[]> {
  const { status, body } = await ask(owner, 'GET', `/audit?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.entries;
}

describe('the audit log', () => {
  test('has each write of a person with the previous values, by person and by record', async () => {
    const { id } = await make('/products', { name: 'Mug', price: 10, stock_qty: 4 });
    await ask(clerk, 'PATCH', `/products/${id}`, { price: 12, name: 'Mug' });
    await ask(clerk, 'POST', `/products/${id}/inventory/adjust`, { delta: 3, reason: 'found' });
    const entries = await entriesOf(`target=product:${id}`);
    const rest = { erased: false, target: `product:${id}` };
    expect(entries.map(({ id: _, at: __, ...entry }) => entry)).toEqual([
      {
        actor: `admin:${clerk.id}`,
        actor_name: expect.stringMatching(/^Person/),
        action: 'product.inventory_adjust',
        details: { delta: 3, reason: 'found', in_stock: true, stock_qty: 7 },
        before: { stock_qty: 4 },
        ...rest,
      },
      {
        actor: `admin:${clerk.id}`,
        actor_name: expect.stringMatching(/^Person/),
        action: 'product.update',
        details: { price: 12 },
        before: { price: 10 },
        ...rest,
      },
      {
        actor: `admin:${owner.id}`,
        actor_name: expect.stringMatching(/^Person/),
        action: 'product.create',
        details: { name: 'Mug', price: 10, stock_qty: 4 },
        before: null,
        ...rest,
      },
    ]);
    expect(await entriesOf(`target=product:${id}&actor=admin:${owner.id}`)).toHaveLength(1);
  });

  test('reads no list where a record is made', async () => {
    const { lists } = server.app.db;
    let asked = 0;
    server.app.db.lists = (companyId) => {
      asked++;
      return lists.call(server.app.db, companyId);
    };
    try {
      await make('/products', { name: 'Bowl', price: 10, stock_qty: 4 });
      await make('/contacts', { email: 'unlisted@example.com' });
    } finally {
      server.app.db.lists = lists;
    }
    expect(asked).toBe(0);
  });

  test('shows no password and no key of an address', async () => {
    const url = 'https://hooks.example.com/orders?token=abc&shop=1';
    const { endpoint_id } = await make('/webhook-endpoints', { url });
    const [entry] = await entriesOf(`target=webhook_endpoint:${endpoint_id}`);
    expect(entry.details.url).toBe('https://hooks.example.com/orders?token=•••&shop=•••');
  });

  test('shows all of a record that was deleted', async () => {
    const { list_id } = await make('/lists', { name: 'Regulars', description: 'Come often' });
    await ask(owner, 'DELETE', `/lists/${list_id}`);
    const [entry] = await entriesOf(`target=list:${list_id}`);
    expect(entry).toMatchObject({
      action: 'list.delete',
      details: {},
      before: { name: 'Regulars', description: 'Come often' },
    });
  });

  test('shows the previous values in entries written by services', async () => {
    const { id } = await make('/tax-rules', { name: 'VAT', country: 'DE', rate: 0.19 });
    await ask(owner, 'PATCH', `/tax-rules/${id}`, { rate: 0.07 });
    const [entry] = await entriesOf(`target=tax_rule:${id}`);
    expect(entry).toMatchObject({ action: 'tax_rule.update', details: { rate: 0.07 }, before: { rate: 0.19 } });
  });

  test('has one entry for a request repeated with its Idempotency-Key, and none for a refused request', async () => {
    const body = { name: 'Twice', price: 1 };
    for (const _ of [1, 2]) await ask(owner, 'POST', '/products', body, { 'idempotency-key': 'product once' });
    const created = await entriesOf('action=product.create');
    expect(created.filter(({ details }) => details.name === 'Twice')).toHaveLength(1);
    const total = (await entriesOf('per_page=200')).length;
    expect((await ask(owner, 'PATCH', '/products/999999', { price: 1 })).status).toBe(404);
    expect((await ask(owner, 'POST', '/products', { name: '', price: -1 }, { 'idempotency-key': 'no' })).status).toBe(
      422,
    );
    expect(await entriesOf('per_page=200')).toHaveLength(total);
  });

  test('shows no secrets, and only the beginning of long values', async () => {
    const { id } = await make('/customers', { email: 'secret@example.com', password: 'mild-cheddar-9' });
    await ask(owner, 'POST', `/customers/${id}/password`, { password: 'ripe-stilton-8' });
    expect((await entriesOf(`target=customer:${id}`)).map(({ details }) => details.password)).toEqual(['•••', '•••']);
    const content = `<p>${'long '.repeat(2_000)}</p>`;
    const { template_id } = await make('/templates', { name: 'Long', channel: 'email', content });
    const [entry] = await entriesOf(`target=template:${template_id}`);
    expect(entry.details.content).toEqual({ cut: content.slice(0, 1_000), length: content.length });
  });

  test('stores personal values where an erasure can delete them, and its chain stays valid without them', async () => {
    const { id } = await make('/customers', { email: 'vera@example.com', first_name: 'Vera' });
    await ask(owner, 'PATCH', `/customers/${id}`, { first_name: 'Wera' });
    const [entry] = await entriesOf(`target=customer:${id}`);
    expect([entry.before, entry.details, entry.erased]).toEqual([
      { first_name: 'Vera' },
      { first_name: 'Wera' },
      false,
    ]);
    const stored = await server.rows('select 1 from audit_log where details::text ~ $1', ['[VW]era']);
    expect(stored).toEqual([]);
    expect((await ask(owner, 'DELETE', `/customers/${id}`)).status).toBe(200);
    const after = await entriesOf(`target=customer:${id}`);
    expect(after.map(({ action, before, details, erased }) => ({ action, before, details, erased }))).toEqual([
      { action: 'customer.delete', before: null, details: {}, erased: false },
      { action: 'customer.update', before: null, details: {}, erased: true },
      { action: 'customer.create', before: null, details: {}, erased: true },
    ]);
    expect(await firstBrokenSeal(server.app.db, shop.company_id)).toBeNull();
  });

  test('stores nothing about a person who was erased while a request about them was in progress', async () => {
    const { id } = await make('/customers', { email: 'late@example.com', shipping_city: 'Trier' });
    const product = await make('/products', { name: 'Cup', price: 1, stock_qty: 9 });
    const address = { shipping_address: 'Kai 1', shipping_city: 'Trier', shipping_zip: '1', shipping_country: 'DE' };
    const order = await make('/orders', { customer_id: id, items: [{ product_id: product.id, qty: 1 }], ...address });
    // The first step of an erasure, without its later ones.
    await server.rows('update customers set erased_at = now() where id = $1', [id]);
    const changed = await ask(owner, 'PATCH', `/orders/${order.id}/status`, { status: 'processing' });
    expect(changed.status).toBe(200);
    const [entry] = await entriesOf(`target=order:${order.id}`);
    expect([entry.action, entry.details, entry.erased]).toEqual(['order.status', {}, true]);
  });

  test('values that somebody changed past the program are a violation that doctor finds', async () => {
    const { id } = await make('/customers', { email: 'changed@example.com', first_name: 'Ute' });
    const broken = async () => (await checkInvariants(server.app.db)).filter(({ ok }) => !ok).map((one) => one.id);
    expect(await broken()).toEqual([]);
    await server.rows(
      `update audit_values set shown = jsonb_set(shown, '{after,first_name}', '"Eva"') where customer_id = $1`,
      [id],
    );
    expect(await broken()).toEqual(['I14.values']);
    await server.rows('delete from audit_values where customer_id = $1', [id]);
  });

  test('takes simultaneous writes of people as one chain', async () => {
    const { id } = await make('/products', { name: 'Busy', price: 1 });
    const prices = Array.from({ length: 12 }, (_, i) => i + 2);
    const all = await Promise.all(
      prices.map((price) => ask(price % 2 ? owner : clerk, 'PATCH', `/products/${id}`, { price })),
    );
    expect(all.map(({ status }) => status)).toEqual(prices.map(() => 200));
    expect(await entriesOf(`target=product:${id}&action=product.update`)).toHaveLength(12);
    expect(await firstBrokenSeal(server.app.db, shop.company_id)).toBeNull();
  });

  test('does not block a write whose record cannot be read in time, and notes that', async () => {
    const slow = route(getSegment, () => Promise.reject(new Overloaded()));
    const changed = { segment_id: 7, name: 'Slower', conditions: { rules: [] }, created_at: '', updated_at: '' };
    const change = route(
      updateSegment,
      () => Promise.reject(new Error('unused')),
      () => ({ data: changed }),
    );
    const caller: Caller = {
      companyId: shop.company_id,
      actor: `admin:${owner.id}`,
      requestId: 'slow',
      now: server.clock.now(),
      idempotency: null,
    };
    const call = { caller, params: { id: 7 }, body: { name: 'Slower' } } as unknown as Call<Endpoint>;
    const trail = await trailOf(change, [slow])(call);
    await server.app.db.tenantTx(shop.company_id, (tx) => trail.around(tx, () => Promise.resolve(changed)));
    const [entry] = await entriesOf('target=segment:7');
    expect([entry.details, entry.before]).toEqual([{ name: 'Slower', before_unread: 'overloaded' }, null]);
    const broken = route(getSegment, () => Promise.reject(new TypeError('a fault of the program')));
    await expect(trailOf(change, [broken])(call)).rejects.toThrow('a fault of the program');
  });

  test('costs the writes of keys no statement', async () => {
    const { id } = await make('/products', { name: 'Hot', price: 1, stock_qty: 9 });
    const sent = await recordStatements(async () => {
      expect((await shop.commerce('PATCH', `/products/${id}`, { price: 2 })).status).toBe(200);
      expect((await shop.marketing('POST', '/contacts', { email: 'hot@example.com' })).status).toBe(201);
    });
    expect(sent.filter(({ text }) => text.includes('audit'))).toEqual([]);
  });
});
