import { afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { newestMail } from '../../store/testing-store.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let transfer: number;
let door: number;
let customer: number;
let tea: number;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const order = async (payments: object[] = []): Promise<number> =>
  (await made('/orders', { customer_id: customer, items: [{ product_id: tea, qty: 3 }], payments, ...ADDRESS })).id;
const linkOf = (id: number, body?: object) => shop.commerce('POST', `/orders/${id}/pay-link`, body);
const pathOf = async (id: number): Promise<string> => new URL((await linkOf(id)).body.data.url).pathname;
const open = (path: string) => server.request('GET', path, { headers: { 'accept-language': 'en' } });
const send = (path: string, fields: Record<string, string>) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' };
  return server.request('POST', path, { headers, raw: new URLSearchParams(fields).toString() });
};
const shown = async (id: number) => {
  const { payment_status, balance } = (await shop.commerce('GET', `/orders/${id}`)).body.data;
  return [payment_status, balance];
};

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer', instructions: 'IBAN 1' })).id;
  door = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door' })).id;
  customer = (await made('/customers', { email: 'ann@example.com' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1_000 })).id;
});

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

test('the buyer of an order pays what is owed, and may choose another method', async () => {
  const id = await order([{ method_id: door, amount: 12 }]);
  const path = await pathOf(id);
  const page = await open(path);
  expect(page.status).toBe(200);
  for (const text of ['$30.00', '-$12.00', '$18.00', 'Transfer', 'At the door']) expect(page.body).toContain(text);
  expect((await send(path, { method: String(transfer), expected: '30' })).status).toBe(422);
  expect((await send(path, { method: String(transfer), expected: '18' })).status).toBe(303);
  const [payment] = (await shop.commerce('GET', `/orders/${id}/payments`)).body.data;
  expect(payment).toMatchObject({ amount: 18, status: 'action_required', method_id: transfer });
  for (const text of ['$18.00', 'IBAN 1', payment.reference]) expect((await open(path)).body).toContain(text);
  await send(path, { do: 'reopen' });
  expect((await shop.commerce('GET', `/payments/${payment.id}`)).body.data.status).toBe('cancelled');
  await send(path, { method: String(door), expected: '18' });
  await shop.commerce('POST', `/orders/${id}/payments`, { method_id: door, amount: 18 });
  expect(await shown(id)).toEqual(['paid', 0]);
  expect((await open(path)).body).toContain(String(id));
});

test('a link is mailed, and is made of no order that is paid or cancelled', async () => {
  const id = await order();
  expect((await linkOf(id, { send: true })).status).toBe(200);
  const mail = await newestMail(server, shop, 'ann@example.com');
  expect(mail!.text).toContain('$30.00');
  const [path] = /\/pay\/[\w-]{55}/.exec(mail!.text)!;
  await send(path, { method: String(transfer), expected: '30' });
  expect(await shown(id)).toEqual(['pending', 30]);
  await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  expect((await open(path)).status).toBe(410);
  for (const done of [id, await order([{ method_id: door, amount: 30 }])]) {
    expect((await linkOf(done)).body.error!.details.reason).toBe('nothing_to_pay');
  }
  expect((await linkOf(999_999)).status).toBe(404);
});

test('nothing begins by leaving the page, and the buyer is asked for what is owed', async () => {
  const id = await order();
  const path = await pathOf(id);
  expect((await send(path, { do: 'reopen' })).status).toBe(303);
  expect(await shown(id)).toEqual(['none', null]);
  await send(path, { method: String(transfer), expected: '30' });
  await shop.commerce('POST', `/orders/${id}/payments`, { method_id: door, amount: 12 });
  const page = (await open(path)).body;
  expect([page.includes('$18.00'), (await shop.commerce('GET', `/orders/${id}/payments`)).body.data]).toMatchObject([
    true,
    [{ amount: 12 }, { amount: 18, status: 'action_required' }],
  ]);
});

test('no buyer pays for an order that is cancelled', async () => {
  const id = await order();
  const path = await pathOf(id);
  await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  await send(path, { method: String(transfer), expected: '30' });
  expect(await shown(id)).toEqual(['none', null]);
});

test('staff record money for an order whose buyer changed their mind too often', async () => {
  const id = await order([{ method_id: door, amount: 1 }]);
  const path = await pathOf(id);
  await server.rows(
    `insert into payments (company_id, order_id, method_id, provider, label, amount, status, created_at, updated_at)
     select company_id, order_id, method_id, provider, label, amount, 'cancelled', created_at, updated_at
     from payments, generate_series(1, 49) where order_id = $1`,
    [id],
  );
  expect((await send(path, { method: String(transfer), expected: '29' })).status).toBe(422);
  const recorded = await shop.commerce('POST', `/orders/${id}/payments`, { method_id: door, amount: 29 });
  expect([recorded.status, await shown(id)]).toEqual([201, ['paid', 0]]);
});
