import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../access/passkeys/testing-authenticator.ts';
import { purgePasskeyChallenges } from '../../commerce/customers/accounts/service.ts';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { allSlices } from '../../work/slices.ts';
import { mailedCode, newestMail, signUp, type TestStore, testStore } from '../testing-store.ts';

const server = testServer({ impatient: true });
const SITE = 'https://shop.example.com';
const OTHER_SITE = 'https://outlet.example.com';
const WRONG = [401, 'wrong_credentials'];
let shop: TestCompany;
let store: TestStore;
let last = 0;

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  store = await testStore(server, shop.company_id, [SITE, OTHER_SITE]);
});

// A network has 10 requests to sign in a minute.
beforeEach(() => server.clock.advance(61_000));

type Device = ReturnType<typeof createTestAuthenticator>;
type Headers = Record<string, string>;

const post = (path: string, body?: object, headers: Headers = {}) =>
  store.send('POST', path, body, { origin: SITE, ...headers });
const reasonOf = ({ status, body }: TestResponse) => [status, body.error?.details.reason];
const optionsAt = async (path: string, headers?: Headers) => (await post(path, {}, headers)).body.data.options;

async function member() {
  const email = `person${++last}@example.com`;
  return { email, ...(await signUp(server, shop, store, email)) };
}

async function addTo(headers: Headers, device: Device, name = 'Phone'): Promise<TestResponse> {
  const options = await optionsAt('/me/passkeys/options', headers);
  return post('/me/passkeys', { name, credential: device.create(options) }, headers);
}

/** A customer with a passkey. */
async function withPasskey() {
  const customer = await member();
  const device = createTestAuthenticator(SITE);
  const { status, body } = await addTo(customer.headers, device);
  expect([status, body.data]).toMatchObject([201, { name: 'Phone', last_used_at: null }]);
  return { ...customer, device, passkey: body.data.id as number };
}

async function signIn(device: Device, how: Parameters<Device['use']>[1] = {}, headers: Headers = {}) {
  const credential = device.use(await optionsAt('/customers/passkey/options'), how);
  return post('/customers/passkey', { credential }, headers);
}

describe('a passkey', () => {
  test('is created for the host of the page, discoverable and with user verification, and a mail says so', async () => {
    const { email, headers } = await member();
    const options = await optionsAt('/me/passkeys/options', headers);
    expect(options.rp).toEqual({ id: 'shop.example.com', name: 'Fernhill' });
    expect(options.authenticatorSelection).toMatchObject({ residentKey: 'required', userVerification: 'required' });
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
    await shop.marketing('POST', '/contacts', { email, properties: { language: 'de' } });
    await addTo(headers, createTestAuthenticator(SITE));
    expect((await newestMail(server, shop, email))!.subject).toBe('Ihr Konto bei Fernhill hat einen neuen Passkey');
  });

  test('signs in without an address; the options tell nothing', async () => {
    const { id, headers, device } = await withPasskey();
    const { allowCredentials = [], ...options } = await optionsAt('/customers/passkey/options');
    expect([allowCredentials, options.userVerification, options.rpId]).toEqual([[], 'required', 'shop.example.com']);
    const { status, body } = await signIn(device);
    expect([status, body.data.customer.id]).toEqual([200, id]);
    const own = { authorization: `Bearer ${body.data.token}` };
    expect((await store.get('/me', own)).body.data.id).toBe(id);
    expect((await store.get('/me/passkeys', headers)).body.data).toMatchObject([{ last_used_at: expect.any(String) }]);
    expect((await store.get('/me/export', own)).body.data.passkeys).toMatchObject([{ name: 'Phone' }]);
  });

  test('takes the guest’s cart along', async () => {
    const { id, device } = await withPasskey();
    const product = (await shop.commerce('POST', '/products', { name: 'Mug', price: 5, stock_qty: 9 })).body.data.id;
    const { token } = (await post('/cart', { lines: [{ product_id: product, qty: 1 }] })).body.data;
    const { status, body } = await signIn(device, {}, { 'x-cart-token': token });
    expect(status).toBe(200);
    const carts = (await shop.commerce('GET', `/carts?customer_id=${id}`)).body.data;
    expect([carts.length, body.data.customer.id]).toEqual([1, id]);
  });

  test('is removed, and by nobody else', async () => {
    const { headers, device, passkey } = await withPasskey();
    const path = `/me/passkeys/${passkey}`;
    expect((await store.send('DELETE', path, undefined, (await member()).headers)).status).toBe(404);
    expect((await store.send('DELETE', path, undefined, headers)).body.data).toEqual({ id: passkey, deleted: true });
    expect(reasonOf(await signIn(device))).toEqual(WRONG);
  });

  test('is kept once, and there are at most 20', async () => {
    const { id, headers, device } = await withPasskey();
    const options = await optionsAt('/me/passkeys/options', headers);
    expect(options.excludeCredentials).toHaveLength(1);
    expect(reasonOf(await addTo(headers, device))).toEqual([422, 'duplicate']);
    await server.rows(
      `insert into customer_passkeys (company_id, customer_id, credential_id, public_key, counter, transports, name, created_at)
       select company_id, customer_id, 'more' || n, public_key, 0, '{}', 'More', created_at
       from customer_passkeys, generate_series(1, 19) n where customer_id = $1`,
      [id],
    );
    const { status, body } = await addTo(headers, createTestAuthenticator(SITE));
    expect([status, body.error.details.fields]).toMatchObject([422, [{ code: 'too_many' }]]);
  });

  test('is stored once for an Idempotency-Key, and so is signing in', async () => {
    const { headers } = await member();
    const device = createTestAuthenticator(SITE);
    const input = { name: 'Once', credential: device.create(await optionsAt('/me/passkeys/options', headers)) };
    const added = () => post('/me/passkeys', input, { ...headers, 'idempotency-key': 'once' });
    expect((await added()).body.data).toEqual((await added()).body.data);
    const credential = device.use(await optionsAt('/customers/passkey/options'));
    const signed = () =>
      post('/customers/passkey', { credential }, { 'x-cart-token': 'tl_cart_x', 'idempotency-key': 'twice' });
    expect((await signed()).body.data.token).toBe((await signed()).body.data.token);
  });
});

describe('is refused, with the same error: a signature', () => {
  test('by another key, and of a passkey that nobody has', async () => {
    const { device } = await withPasskey();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const responses = [await signIn(device, { key: privateKey }), await signIn(createTestAuthenticator(SITE))];
    for (const response of responses) expect(reasonOf(response)).toEqual(WRONG);
    expect(responses[0]!.body.error.message).toBe(responses[1]!.body.error.message);
  });

  test('without user verification, or for another host', async () => {
    const { device } = await withPasskey();
    expect(reasonOf(await signIn(device, { verified: false }))).toEqual(WRONG);
    expect(reasonOf(await signIn(device, { site: 'evil.example' }))).toEqual(WRONG);
  });

  test('of a page of another origin', async () => {
    const { headers, device } = await withPasskey();
    const credential = device.use(await optionsAt('/customers/passkey/options'));
    expect(reasonOf(await post('/customers/passkey', { credential }, { origin: OTHER_SITE }))).toEqual(WRONG);
    const options = await optionsAt('/me/passkeys/options', headers);
    const elsewhere = createTestAuthenticator('https://evil.example').create(options);
    const { status, body } = await post('/me/passkeys', { name: 'X', credential: elsewhere }, headers);
    expect([status, body.error.details.fields]).toMatchObject([422, [{ field: 'credential' }]]);
  });

  test('that was shown before, and of a challenge that was used before', async () => {
    const { device } = await withPasskey();
    const options = await optionsAt('/customers/passkey/options');
    const credential = device.use(options);
    expect((await post('/customers/passkey', { credential })).status).toBe(200);
    expect(reasonOf(await post('/customers/passkey', { credential }))).toEqual(WRONG);
    expect(reasonOf(await post('/customers/passkey', { credential: device.use(options) }))).toEqual(WRONG);
  });

  test('whose counter went back', async () => {
    const { device } = await withPasskey();
    expect((await signIn(device)).status).toBe(200);
    device.state.counter -= 2;
    expect(reasonOf(await signIn(device))).toEqual(WRONG);
  });

  test('of a challenge that is over, was made up, or was for something else', async () => {
    const { headers, device } = await withPasskey();
    const another = await server.company({ name: 'Another' });
    const foreign = await testStore(server, another.company_id, [SITE]);
    const late = await optionsAt('/customers/passkey/options');
    server.clock.advance(5 * 60_000);
    const challenges = [
      late.challenge,
      Buffer.alloc(38).toString('base64url'),
      (await optionsAt('/me/passkeys/options', headers)).challenge,
      (await foreign.send('POST', '/customers/passkey/options', {}, { origin: SITE })).body.data.options.challenge,
    ];
    for (const challenge of challenges) {
      const credential = device.use({ challenge, rpId: 'shop.example.com' });
      expect(reasonOf(await post('/customers/passkey', { credential }))).toEqual(WRONG);
    }
  });
});

describe('passkeys end', () => {
  test('when the account is closed, and stay when the customer is signed out', async () => {
    const { id, device } = await withPasskey();
    await shop.commerce('POST', `/customers/${id}/end-sessions`);
    expect((await signIn(device)).status).toBe(200);
    await shop.commerce('POST', `/customers/${id}/close-account`);
    expect(reasonOf(await signIn(device))).toEqual(WRONG);
    expect(await server.rows('select 1 from customer_passkeys where customer_id = $1', [id])).toEqual([]);
  });

  test('when whoever has the address proves it for the first time', async () => {
    const { id, email, device } = await withPasskey();
    await server.rows('update customers set email_verified_at = null where id = $1', [id]);
    await post('/customers/code', { email });
    const code = await mailedCode(server, shop, email);
    expect((await post('/customers/login', { email, code })).status).toBe(200);
    expect(reasonOf(await signIn(device))).toEqual(WRONG);
  });

  test('when the customer is erased or merged into another', async () => {
    const [erased, merged, into] = [await withPasskey(), await withPasskey(), await member()];
    expect((await shop.commerce('DELETE', `/customers/${erased.id}`)).status).toBe(200);
    expect((await shop.commerce('POST', `/customers/${into.id}/merge`, { from: merged.id })).status).toBe(200);
    const ids = [erased.id, merged.id, into.id];
    expect(await server.rows('select 1 from customer_passkeys where customer_id = any($1)', [ids])).toEqual([]);
  });
});

test('a challenge is stored once it is used, and deleted when it is over', async () => {
  const count = async () => (await server.rows('select 1 from customer_passkey_challenges')).length;
  const { device } = await withPasskey();
  const before = await count();
  for (let n = 0; n < 5; n++) await optionsAt('/customers/passkey/options');
  expect(await count()).toBe(before);
  await signIn(device);
  expect(await count()).toBe(before + 1);
  server.clock.advance(5 * 60_000 + 1);
  await allSlices(purgePasskeyChallenges(server.app.db, server.clock));
  expect(await count()).toBe(0);
});

test('an app or a page without a host name has no passkeys, and the response says why', async () => {
  const app = await store.send('POST', '/customers/passkey/options', {});
  expect([app.status, app.body.error.message]).toEqual([400, expect.stringContaining('Origin')]);
  const local = await post('/customers/passkey/options', {}, { origin: server.origin });
  expect([local.status, local.body.error.message]).toEqual([400, expect.stringContaining('localhost')]);
});
