import { expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger, testPerson } from '../../testing/people.ts';

const server = testServer();
const SHOP = { name: ' Rowan & Thistle ', country: 'Germany', currency: 'eur', time_zone: 'Europe/Berlin' };
const MADE = { name: 'Rowan & Thistle', country: 'DE', currency: 'EUR', time_zone: 'Europe/Berlin' };

test('the first owner creates the first company of an empty installation, and owns it', async () => {
  const owner = stranger(server);
  const token = await issueSignIn(server.app.db, server.clock.now());
  const person = { email: 'olivia@example.com', name: 'Olivia', password: 'correct horse battery staple' };
  expect((await owner.ask('POST', '/links/use', { token, ...person })).body.companies).toEqual([]);
  const made = await owner.ask('POST', '/companies', SHOP);
  expect([made.status, made.body]).toEqual([201, { id: expect.any(Number), ...MADE }]);
  const { companies } = (await owner.ask('GET', '/session')).body;
  expect(companies).toMatchObject([{ id: made.body.id, currency: 'EUR', role: 'owner' }]);
  const zones = await owner.ask('GET', `/${made.body.id}/shipping-zones`);
  expect(zones.body.meta.pagination.total).toBe(1);
  const log = await owner.ask('GET', `/${made.body.id}/audit`);
  expect(log.body.entries).toMatchObject([{ action: 'company.create' }]);
});

test('its orders earn points once they are delivered, so that a cancelled order leaves none to spend', async () => {
  const operator = stranger(server);
  await operator.ask('POST', '/links/use', { token: await issueSignIn(server.app.db, server.clock.now()) });
  const { id } = (await operator.ask('POST', '/companies', SHOP)).body;
  const ask = async (method: string, path: string, body?: object) => {
    const response = await operator.ask(method, `/${id}${path}`, body);
    expect([path, response.status < 300, response.body]).toEqual([path, true, expect.anything()]);
    return response.body.data;
  };
  expect((await ask('GET', '/loyalty/settings')).earn_on).toBe('delivered');
  const product = await ask('POST', '/products', { name: 'Mug', price: 500, stock_qty: 9 });
  const customer = await ask('POST', '/customers', { email: 'points@example.com' });
  const address = { shipping_address: 'Kai 1', shipping_city: 'Trier', shipping_zip: '54290', shipping_country: 'DE' };
  const order = { customer_id: customer.id, items: [{ product_id: product.id, qty: 1 }], ...address };
  const points = async () => (await ask('GET', `/customers/${customer.id}/loyalty`)).current_balance;
  const cancelled = await ask('POST', '/orders', order);
  expect(await points()).toBe(0);
  await ask('PATCH', `/orders/${cancelled.id}/status`, { status: 'cancelled' });
  const delivered = await ask('POST', '/orders', order);
  for (const status of ['processing', 'shipped', 'delivered'])
    await ask('PATCH', `/orders/${delivered.id}/status`, { status });
  expect(await points()).toBe(500);
});

test('a field that is wrong is named, and nothing is created', async () => {
  const operator = stranger(server);
  await operator.ask('POST', '/links/use', { token: await issueSignIn(server.app.db, server.clock.now()) });
  const before = (await operator.ask('GET', '/session')).body.companies.length;
  for (const [field, value] of [
    ['name', ' '],
    ['country', 'Atlantis'],
    ['currency', 'EURO'],
    ['time_zone', '+01:00'],
  ] as const) {
    const refused = await operator.ask('POST', '/companies', { ...SHOP, [field]: value });
    expect([field, refused.status, refused.body.details[0].field]).toEqual([field, 400, field]);
  }
  expect((await operator.ask('GET', '/session')).body.companies).toHaveLength(before);
});

test('only the operator may: not the owner of one company, and not without a session', async () => {
  const owner = await testPerson(server, { [(await server.company()).company_id]: 'owner' });
  expect((await owner.ask('POST', '/companies', SHOP)).body.error).toBe('forbidden_role');
  expect((await stranger(server).ask('POST', '/companies', SHOP)).status).toBe(401);
});
