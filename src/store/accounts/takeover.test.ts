import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { mailedCode, newestMail, signUp, type TestStore, testStore } from '../testing-store.ts';

const server = testServer({ impatient: true });
const PASSWORD = 'a horse of course';
const SIGNED_OUT = [401, 'missing_session'];
const WRONG = [401, 'wrong_credentials'];
let shop: TestCompany;
let store: TestStore;
let last = 0;
const anEmail = (): string => `owner${++last}@example.com`;

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  store = await testStore(server, shop.company_id);
});

// A network has 10 requests to sign in a minute.
beforeEach(() => server.clock.advance(61_000));

const post = (path: string, body?: object, headers?: Record<string, string>) => store.send('POST', path, body, headers);
const reasonOf = ({ status, body }: TestResponse) => [status, body.error?.details.reason];
const headersOf = ({ body }: TestResponse) => ({ authorization: `Bearer ${body.data.token}` });
const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const byPassword = (email: string) => post('/customers/login', { email, password: PASSWORD });

async function byCode(email: string, path: 'login' | 'verify', more: object = {}) {
  await post('/customers/code', { email });
  return post(`/customers/${path}`, { email, code: await mailedCode(server, shop, email), ...more });
}

async function created(email: string): Promise<number> {
  const rows = await server.rows(
    "select 1 from outbox where topic = 'customer_created' and lower(payload ->> 'email') = $1",
    [email],
  );
  return rows.length;
}

async function guest(email: string): Promise<number> {
  const [row] = await server.rows<{ id: number }>(
    "insert into customers (company_id, email, search, created_at, updated_at) values ($1, $2, '', now(), now()) returning id::int",
    [shop.company_id, email],
  );
  return row!.id;
}

test.each(['login', 'verify'] as const)(
  'the first code at an address (%s) ends the password and the sessions of whoever had the account before',
  async (path) => {
    const email = anEmail();
    await made('/customers', { email, password: PASSWORD });
    const before = headersOf(await byPassword(email));
    const owner = headersOf(await byCode(email, path));
    expect(reasonOf(await store.get('/me', before))).toEqual(SIGNED_OUT);
    expect(reasonOf(await byPassword(email))).toEqual(WRONG);
    expect((await store.send('PUT', '/me/password', { password: PASSWORD }, owner)).status).toBe(200);
    await byCode(email, path);
    expect([(await byPassword(email)).status, (await store.get('/me', owner)).status]).toEqual([200, 200]);
  },
);

test('a password set by the shop signs out everywhere', async () => {
  const { id, headers } = await signUp(server, shop, store, anEmail());
  expect((await shop.commerce('POST', `/customers/${id}/password`, { password: PASSWORD })).status).toBe(200);
  expect(reasonOf(await store.get('/me', headers))).toEqual(SIGNED_OUT);
});

test('the password of a closed account stays invalid until an invitation is accepted', async () => {
  const { id } = await made('/customers', { email: anEmail(), password: PASSWORD });
  for (const action of ['close-account', 'invite']) await shop.commerce('POST', `/customers/${id}/${action}`);
  const { valid } = await made(`/customers/${id}/verify-password`, { password: PASSWORD });
  expect(valid).toBe(false);
});

test('customer_created is raised once: by POST /customers, or when a guest’s account becomes active', async () => {
  const [known, byMail, byShop] = [anEmail(), anEmail(), anEmail()];
  const { id } = await made('/customers', { email: known });
  await byCode(known, 'verify');
  for (const action of ['close-account', 'invite']) await shop.commerce('POST', `/customers/${id}/${action}`);
  expect((await byCode(known, 'verify')).status).toBe(200);
  expect(await created(known)).toBe(1);
  const invited = await guest(byMail);
  await shop.commerce('POST', `/customers/${invited}/invite`);
  expect(await created(byMail)).toBe(0);
  await byCode(byMail, 'verify');
  const set = await guest(byShop);
  for (let n = 0; n < 2; n++) await made(`/customers/${set}/password`, { password: PASSWORD });
  await byCode(byShop, 'verify');
  expect([await created(byMail), await created(byShop)]).toEqual([1, 1]);
});

test('an export shows nothing by an address that is not verified', async () => {
  const email = anEmail();
  await made('/customers', { email, password: PASSWORD });
  const exported = async (headers: Record<string, string>) => (await store.get('/me/export', headers)).body.data;
  const unproven = await exported(headersOf(await byPassword(email)));
  expect([unproven.omitted, unproven.orders, unproven.order_ledger, unproven.contact]).toEqual([
    ['orders:read', 'payments:read', 'marketing:read'],
    [],
    [],
    null,
  ]);
  expect((await exported(headersOf(await byCode(email, 'login')))).omitted).toEqual([]);
});

test('who is paying is not erased, and the code is valid afterwards', async () => {
  const email = anEmail();
  const { id, headers } = await signUp(server, shop, store, email);
  const product = await made('/products', { name: 'Mug', price: 5, stock_qty: 9 });
  const address = {
    shipping_address: '1 Main St',
    shipping_city: 'Oslo',
    shipping_zip: '0150',
    shipping_country: 'NO',
  };
  const lines = [{ product_id: product.id, qty: 1 }];
  const cart = await made('/carts', { customer_id: id, lines, ...address });
  const method = await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer', instructions: 'IBAN 1' });
  const paid = await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: method.id });
  expect(paid.status).toBe(200);
  await post('/me/code', { purpose: 'erase' }, headers);
  const code = await mailedCode(server, shop, email);
  const erase = () => store.send('DELETE', '/me', { code }, headers);
  expect(reasonOf(await erase())).toEqual([422, 'payment_in_progress']);
  await shop.commerce('POST', `/carts/${cart.id}/reopen`);
  expect((await erase()).status).toBe(200);
  expect(reasonOf(await erase())).toEqual(SIGNED_OUT);
});

test('a changed address is told by mail to the old one, whoever has changed it', async () => {
  const [first, second, third] = [anEmail(), anEmail(), anEmail()];
  const { id, headers } = await signUp(server, shop, store, first);
  const patch = (body: object) => store.send('PATCH', '/me', body, headers);
  await post('/me/code', { purpose: 'change_email', email: second }, headers);
  await patch({ email: second, code: await mailedCode(server, shop, second) });
  const subject = 'Your account at Fernhill has a new address';
  expect((await newestMail(server, shop, first))!.subject).toBe(subject);
  await shop.commerce('PATCH', `/customers/${id}`, { email: third });
  expect((await newestMail(server, shop, second))!.subject).toBe(subject);
  await shop.commerce('PATCH', `/customers/${id}`, { email: third.toUpperCase(), first_name: 'Ann' });
  expect(await newestMail(server, shop, third)).toBeUndefined();
  const guestEmail = anEmail();
  await shop.commerce('PATCH', `/customers/${await guest(guestEmail)}`, { email: anEmail() });
  expect(await newestMail(server, shop, guestEmail)).toBeUndefined();
});

test('signing in by a code with a cart token is repeatable, and its token is not stored as text', async () => {
  const email = anEmail();
  await signUp(server, shop, store, email);
  await post('/customers/code', { email });
  const body = { email, code: await mailedCode(server, shop, email) };
  const repeated = () => post('/customers/login', body, { 'x-cart-token': 'tl_cart_x', 'idempotency-key': 'code' });
  const [{ token }, again] = [(await repeated()).body.data, (await repeated()).body.data];
  expect([token, again.token]).toEqual([expect.stringMatching(/^tl_cust_/), token]);
  const stored = await server.rows("select 1 from idempotency_keys k where k::text like '%' || $1 || '%'", [token]);
  expect(stored).toEqual([]);
  expect(reasonOf(await post('/customers/login', body, { 'idempotency-key': 'code' }))).toEqual(WRONG);
});
