import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { purgeCustomerCodes, purgeCustomerSessions } from '../../commerce/customers/accounts/service.ts';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { allSlices } from '../../work/slices.ts';
import { mailedCode, newestMail, signUp, type TestStore, testStore } from '../testing-store.ts';

const server = testServer({ impatient: true, config: { trustedProxies: ['127.0.0.1'] } });
const PASSWORD = 'a horse of course';
const MINUTE = 60_000;
const DAY = 24 * 3_600_000;
let shop: TestCompany;
let store: TestStore;
let last = 0;
const anEmail = (): string => `person${++last}@example.com`;

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  store = await testStore(server, shop.company_id);
});

// A network has 10 requests to sign in a minute.
beforeEach(() => server.clock.advance(61_000));

const post = (path: string, body?: object, headers?: Record<string, string>) => store.send('POST', path, body, headers);
const reasonOf = ({ status, body }: TestResponse) => [status, body.error?.details.reason];
const WRONG = [401, 'wrong_credentials'];
const SIGNED_OUT = [401, 'missing_session'];
const account = async (id: number) => (await shop.commerce('GET', `/customers/${id}`)).body.data;
const eventsOf = (email: string) =>
  server.rows<{ topic: string }>("select topic from outbox where payload ->> 'email' = $1 order by id", [email]);

async function code(email: string): Promise<string> {
  await post('/customers/code', { email });
  return mailedCode(server, shop, email);
}

async function member(email = anEmail()) {
  return { email, ...(await signUp(server, shop, store, email)) };
}

describe('opening an account', () => {
  test('registering says the same for every address, and a code opens the account', async () => {
    const known = await member();
    const email = anEmail();
    const input = { first_name: 'Ann', last_name: 'Lee', accepts_marketing: true };
    const responses = [];
    for (const one of [known.email, email]) responses.push(await post('/customers/register', { email: one, ...input }));
    for (const { status, body } of responses) expect([status, body.data]).toEqual([200, { sent: true }]);
    const mail = await newestMail(server, shop, email);
    expect(mail!.text).toContain('Fernhill');
    expect(mail!.text).not.toContain('Ann');
    const body = { email: email.toUpperCase(), code: await mailedCode(server, shop, email), password: PASSWORD };
    const opened = await post('/customers/verify', body);
    expect(opened.status).toBe(200);
    expect(opened.body.data.token).toMatch(/^tl_cust_[\w-]{43}$/);
    expect(opened.body.data.customer).toMatchObject({ email, email_verified: true, ...input });
    expect(await account(opened.body.data.customer.id)).toMatchObject({ account: 'active', email_verified: true });
    expect(await eventsOf(email)).toEqual([{ topic: 'customer_created' }]);
    const me = await store.get('/me', { authorization: `Bearer ${opened.body.data.token}` });
    expect(me.body.data).toEqual(opened.body.data.customer);
    expect(reasonOf(await post('/customers/verify', body))).toEqual(WRONG);
    expect((await post('/customers/login', { email, password: PASSWORD })).status).toBe(200);
  });

  test('a guest’s account becomes active, with the name that was registered, and only then there is an event', async () => {
    const email = anEmail();
    const [{ id }] = (await server.rows<{ id: number }>(
      `insert into customers (company_id, email, search, created_at, updated_at) values ($1, $2, '', now(), now()) returning id::int`,
      [shop.company_id, email],
    )) as [{ id: number }];
    expect(await account(id)).toMatchObject({ account: 'none', email_verified: false });
    await post('/customers/register', { email, first_name: 'Gus' });
    expect((await account(id)).first_name).toBe('');
    const opened = await post('/customers/verify', { email, code: await mailedCode(server, shop, email) });
    expect(opened.body.data.customer).toMatchObject({ id, first_name: 'Gus' });
    expect((await eventsOf(email)).map(({ topic }) => topic)).toContain('customer_created');
    expect(await account(id)).toMatchObject({ account: 'active' });
  });

  test('who is a customer with a password has an active account, whose address is not verified', async () => {
    const email = anEmail();
    const { id } = (await shop.commerce('POST', '/customers', { email, password: PASSWORD })).body.data;
    expect(await account(id)).toMatchObject({ account: 'active', email_verified: false });
    const other = (await shop.commerce('POST', '/customers', { email: anEmail() })).body.data;
    expect(other.account).toBe('none');
    const set = await shop.commerce('POST', `/customers/${other.id}/password`, { password: PASSWORD });
    expect(set.body.data.account).toBe('active');
    expect((await post('/customers/login', { email, password: PASSWORD })).status).toBe(200);
  });

  test('a password that everybody tries first is refused before the code is used', async () => {
    const email = anEmail();
    const body = { email, code: await code(email) };
    expect((await post('/customers/verify', { ...body, password: 'password' })).status).toBe(422);
    expect((await post('/customers/verify', body)).status).toBe(200);
  });
});

describe('codes', () => {
  test('are valid for 10 minutes and 5 attempts; a newer one takes the place of the last', async () => {
    const email = anEmail();
    const old = await code(email);
    const fresh = await code(email);
    if (old !== fresh) expect(reasonOf(await post('/customers/login', { email, code: old }))).toEqual(WRONG);
    server.clock.advance(10 * MINUTE);
    expect(reasonOf(await post('/customers/verify', { email, code: fresh }))).toEqual(WRONG);
    const right = await code(email);
    const wrong = right === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++)
      expect(reasonOf(await post('/customers/verify', { email, code: wrong }))).toEqual(WRONG);
    expect(reasonOf(await post('/customers/verify', { email, code: right }))).toEqual(WRONG);
  });

  test('are stored nowhere', async () => {
    const email = anEmail();
    const sent = await code(email);
    for (const table of ['customer_codes', 'messages']) {
      const rows = await server.rows<{ text: string }>(`select t::text as text from ${table} t where t::text like $1`, [
        `%${email}%`,
      ]);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.map(({ text }) => text).join()).not.toContain(`"${sent}"`);
    }
  });

  test('an address gets six an hour from one network, so that a stranger leaves some to the owner, and 20 in all', async () => {
    const email = anEmail();
    const ask = async (network: number, times: number) => {
      for (let n = 0; n < times; n++) {
        const { body } = await post('/customers/code', { email }, { 'x-forwarded-for': `192.0.2.${network}` });
        expect(body.data).toEqual({ sent: true });
      }
      const [row] = await server.rows<{ n: number }>('select count(*)::int as n from messages where recipient = $1', [
        email,
      ]);
      return row!.n;
    };
    expect([await ask(1, 8), await ask(2, 1), await ask(1, 1)]).toEqual([6, 7, 6 + 1]);
    expect([await ask(2, 6), await ask(3, 8), await ask(4, 8)]).toEqual([12, 18, 20]);
    server.clock.advance(3_600_000);
    expect(await ask(1, 1)).toBe(21);
    const stored = await server.rows<{ asked_from: string[] }>(
      'select asked_from from customer_codes where email = $1',
      [email],
    );
    expect(stored).toEqual([{ asked_from: [expect.stringMatching(/^[\w-]{43}$/)] }]);
  });

  test('are in the language of the contact', async () => {
    const email = anEmail();
    await shop.marketing('POST', '/contacts', { email, properties: { language: 'de-AT' } });
    await post('/customers/code', { email });
    expect((await newestMail(server, shop, email))!.subject).toContain('Ihr Code für Fernhill');
  });
});

describe('signing in', () => {
  test('fails in the same way for every reason', async () => {
    const { email } = await member();
    await shop.commerce('POST', '/customers', { email: anEmail() });
    for (const one of [email, `person${last}@example.com`, 'nobody@example.com']) {
      for (const how of [{ password: 'something else' }, { code: '123456' }]) {
        const { status, body, headers } = await post('/customers/login', { email: one, ...how });
        expect([
          status,
          body.error.details.reason,
          Object.keys(body.error.details),
          headers.get('cache-control'),
        ]).toEqual([401, 'wrong_credentials', ['reason', 'request_id'], 'no-store']);
      }
    }
    expect((await post('/customers/login', { email })).status).toBe(422);
    expect((await post('/customers/login', { email, password: 'x', code: '123456' })).status).toBe(422);
  });

  test('by a code does not open an account', async () => {
    const email = anEmail();
    const body = { email, code: await code(email) };
    expect(reasonOf(await post('/customers/login', body))).toEqual(WRONG);
    expect((await post('/customers/verify', body)).status).toBe(200);
  });

  test('a network has 10 attempts a minute, and an address 30; neither locks the account', async () => {
    const { email } = await member();
    const attempt = (address: string, to = email) =>
      post('/customers/login', { email: to, password: 'wrong one' }, { 'x-forwarded-for': address });
    server.clock.advance(61_000);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await attempt('198.51.100.1', anEmail())).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    for (let n = 0; n < 30; n++) expect((await attempt(`198.51.101.${n}`)).status).toBe(401);
    const refused = await attempt('198.51.101.99');
    expect([refused.status, Number(refused.headers.get('retry-after')) <= 60]).toEqual([429, true]);
    expect((await attempt('198.51.101.98', 'unknown@example.com')).status).toBe(401);
    server.clock.advance(61_000);
    const right = await post('/customers/login', { email, code: await code(email) });
    expect(right.status).toBe(200);
  });
});

describe('sessions', () => {
  test('end after 30 days without use, and after 180 days', async () => {
    const { headers } = await member();
    for (let days = 0; days < 174; days += 29) {
      server.clock.advance(29 * DAY);
      expect([days, (await store.get('/me', headers)).status]).toEqual([days, 200]);
    }
    server.clock.advance(7 * DAY);
    expect(reasonOf(await store.get('/me', headers))).toEqual(SIGNED_OUT);
    const idle = await member();
    server.clock.advance(31 * DAY);
    expect(reasonOf(await store.get('/me', idle.headers))).toEqual(SIGNED_OUT);
    await allSlices(purgeCustomerSessions(server.app.db, server.clock));
    await allSlices(purgeCustomerCodes(server.app.db, server.clock));
    const left = await server.rows('select 1 from customer_sessions where customer_id = $1', [idle.id]);
    expect([left, await server.rows('select 1 from customer_codes')]).toEqual([[], []]);
  });

  test('are listed, and ended one by one, by signing out, by a new password and by staff', async () => {
    const { email, headers, id } = await member();
    const again = async () => {
      const { token } = (await post('/customers/login', { email, code: await code(email) })).body.data;
      return { authorization: `Bearer ${token}` };
    };
    const second = await again();
    const listed = (await store.get('/me/sessions', headers)).body.data;
    expect(listed.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect((await store.send('DELETE', `/me/sessions/${listed[0].id}`, undefined, headers)).status).toBe(200);
    expect(reasonOf(await store.get('/me', second))).toEqual(SIGNED_OUT);
    const third = await again();
    const changed = await store.send('PUT', '/me/password', { password: PASSWORD }, headers);
    expect(changed.status).toBe(200);
    expect(reasonOf(await store.get('/me', third))).toEqual(SIGNED_OUT);
    const other = { password: 'another horse', current_password: 'wrong' };
    expect(reasonOf(await store.send('PUT', '/me/password', other, headers))).toEqual(WRONG);
    expect((await post('/customers/logout', undefined, headers)).status).toBe(200);
    expect(reasonOf(await store.get('/me', headers))).toEqual(SIGNED_OUT);
    server.clock.advance(61_000);
    const fourth = await again();
    expect((await shop.commerce('POST', `/customers/${id}/end-sessions`)).status).toBe(200);
    expect(reasonOf(await store.get('/me', fourth))).toEqual(SIGNED_OUT);
  });
});

describe('one’s own data', () => {
  test('is changed; another e-mail address needs the code that was sent to it', async () => {
    const { email, headers, id } = await member();
    const patch = (body: object) => store.send('PATCH', '/me', body, headers);
    expect((await patch({ first_name: 'Ann', shipping_country: 'Germany' })).body.data).toMatchObject({
      first_name: 'Ann',
      shipping_country: 'DE',
    });
    const address = anEmail();
    expect(reasonOf(await patch({ email: address }))).toEqual(WRONG);
    expect(reasonOf(await patch({ email: address, code: await code(address) }))).toEqual(WRONG);
    await post('/me/code', { purpose: 'change_email', email: address }, headers);
    const right = { email: address, code: await mailedCode(server, shop, address) };
    const other = await member();
    expect(reasonOf(await store.send('PATCH', '/me', right, other.headers))).toEqual(WRONG);
    expect((await patch(right)).body.data).toMatchObject({ id, email: address, email_verified: true });
    // Staff may change it without a code; it is not verified then.
    await shop.commerce('PATCH', `/customers/${id}`, { email });
    expect((await store.get('/me', headers)).body.data).toMatchObject({ email, email_verified: false });
  });

  test('consent', async () => {
    const { headers } = await member();
    expect((await store.get('/me/consent', headers)).body.data).toEqual({ accepts_marketing: false });
    const set = await store.send('PATCH', '/me/consent', { accepts_marketing: true }, headers);
    expect(set.body.data).toEqual({ accepts_marketing: true });
  });

  test('addresses: at most 20, and nobody else’s', async () => {
    const [mine, other] = [await member(), await member()];
    const input = { address: '1 Main St', city: 'Springfield', zip: '62701', country: 'US', state: 'Illinois' };
    const { status, body } = await post('/me/addresses', input, mine.headers);
    expect([status, body.data.state, body.data.country]).toEqual([201, 'IL', 'US']);
    const path = `/me/addresses/${body.data.id}`;
    expect((await store.send('PATCH', path, { city: 'Elsewhere' }, other.headers)).status).toBe(404);
    expect((await store.send('DELETE', path, undefined, other.headers)).status).toBe(404);
    expect((await store.send('PATCH', path, { city: 'Elsewhere' }, mine.headers)).body.data).toMatchObject({
      ...input,
      state: 'IL',
      city: 'Elsewhere',
    });
    const more = await Promise.all(Array.from({ length: 22 }, () => post('/me/addresses', input, mine.headers)));
    expect(more.filter((one) => one.status === 201)).toHaveLength(19);
    expect((await store.get('/me/addresses', mine.headers)).body.data).toHaveLength(20);
    expect((await store.send('DELETE', path, undefined, mine.headers)).status).toBe(200);
    expect((await store.get('/me/addresses', other.headers)).body.data).toEqual([]);
  });

  test('orders, points and subscriptions are one’s own; a guest’s orders need a verified address', async () => {
    const [mine, other] = [await member(), await member()];
    const product = (await shop.commerce('POST', '/products', { name: 'Mug', price: 5, stock_qty: 99 })).body.data.id;
    await shop.commerce('PATCH', `/products/${product}`, { subscription_enabled: true });
    const address = {
      shipping_address: '1 Main St',
      shipping_city: 'Springfield',
      shipping_state: 'IL',
      shipping_zip: '62701',
    };
    const orderOf = async (customer_id: number) =>
      (await shop.commerce('POST', '/orders', { customer_id, items: [{ product_id: product, qty: 1 }], ...address }))
        .body.data;
    const [own, theirs, guest] = [await orderOf(mine.id), await orderOf(other.id), await orderOf(mine.id)];
    await server.rows('update orders set guest = true where id = $1', [guest.id]);
    const idsOf = async () =>
      (await store.get('/me/orders', mine.headers)).body.data.map(({ id }: { id: number }) => id);
    expect(await idsOf()).toEqual([guest.id, own.id]);
    expect((await store.get(`/me/orders/${theirs.id}`, mine.headers)).status).toBe(404);
    const read = (await store.get(`/me/orders/${own.id}`, mine.headers)).body.data;
    expect([read.total, read.metadata, read.customer_id]).toEqual([own.total, undefined, undefined]);
    await server.rows('update customers set email_verified_at = null where id = $1', [mine.id]);
    expect(await idsOf()).toEqual([own.id]);
    expect((await store.get(`/me/orders/${guest.id}`, mine.headers)).status).toBe(404);
    expect((await store.get('/me/loyalty', mine.headers)).body.data.customer_id).toBe(mine.id);
    const subscribe = async (customer_id: number) =>
      (await shop.commerce('POST', '/subscriptions', { ...address, customer_id, product_id: product, frequency_id: 3 }))
        .body.data.id;
    const [subscription, foreign] = [await subscribe(mine.id), await subscribe(other.id)];
    const listed = (await store.get('/me/subscriptions', mine.headers)).body.data;
    expect(listed.map(({ id }: { id: number }) => id)).toEqual([subscription]);
    expect(listed[0]).not.toHaveProperty('customer_id');
    expect(listed[0]).not.toHaveProperty('cancel_reason');
    for (const action of ['pause', 'resume', 'skip', 'cancel']) {
      expect((await post(`/me/subscriptions/${foreign}/${action}`, {}, mine.headers)).status).toBe(404);
      expect([action, (await post(`/me/subscriptions/${subscription}/${action}`, {}, mine.headers)).status]).toEqual([
        action,
        200,
      ]);
    }
    expect((await store.send('PATCH', `/me/subscriptions/${foreign}`, { quantity: 2 }, mine.headers)).status).toBe(404);
    const [entry] = (await shop.commerce('GET', `/subscriptions/${subscription}/history`)).body.data.slice(-1);
    expect(entry.actor).toBe(`customer:${mine.id}`);
  });

  test('is exported, and erased with a code', async () => {
    const { email, headers, id } = await member();
    await post('/me/addresses', { address: '1 Zebrafinch', city: 'A', zip: '1', country: 'DE' }, headers);
    const exported = (await store.get('/me/export', headers)).body.data;
    expect([
      exported.customer.email,
      exported.addresses[0].address,
      exported.sessions.length,
      exported.omitted,
    ]).toEqual([email, '1 Zebrafinch', 1, []]);
    expect(reasonOf(await store.send('DELETE', '/me', { code: '123456' }, headers))).toEqual(WRONG);
    expect(reasonOf(await store.send('DELETE', '/me', { code: await code(email) }, headers))).toEqual(WRONG);
    await post('/me/code', { purpose: 'erase' }, headers);
    const right = await mailedCode(server, shop, email);
    await post('/customers/register', { email, first_name: 'Zebrafinch' });
    const erased = await store.send('DELETE', '/me', { code: right }, headers);
    expect([erased.status, erased.body.data]).toEqual([200, { id, deleted: true }]);
    expect(reasonOf(await store.get('/me', headers))).toEqual(SIGNED_OUT);
    for (const table of ['customer_sessions', 'customer_addresses'])
      expect(await server.rows(`select 1 from ${table} where customer_id = $1`, [id])).toEqual([]);
    expect(await server.rows('select 1 from customer_codes where email = $1', [email])).toEqual([]);
  });
});

describe('staff', () => {
  test('closes an account: nobody signs in, and the mail says so; and invites again', async () => {
    const { email, headers, id } = await member();
    expect((await shop.commerce('POST', `/customers/${id}/invite`)).status).toBe(422);
    await shop.commerce('POST', `/customers/${id}/password`, { password: PASSWORD });
    const ways = async () => (await shop.commerce('GET', `/customers/${id}/account`)).body.data;
    await signUp(server, shop, store, email);
    expect(await ways()).toEqual({
      account: 'active',
      email_verified: true,
      has_password: true,
      passkeys: 0,
      sessions: 1,
      last_seen_at: server.clock.now().toISOString(),
    });
    const closed = await shop.commerce('POST', `/customers/${id}/close-account`);
    expect(await ways()).toMatchObject({ account: 'closed', sessions: 0, last_seen_at: null });
    expect([closed.status, closed.body.data.account]).toEqual([200, 'closed']);
    expect(reasonOf(await store.get('/me', headers))).toEqual(SIGNED_OUT);
    expect(reasonOf(await post('/customers/login', { email, password: PASSWORD }))).toEqual(WRONG);
    const checked = await shop.commerce('POST', `/customers/${id}/verify-password`, { password: PASSWORD });
    expect(checked.body.data.valid).toBe(false);
    await post('/customers/code', { email });
    expect((await newestMail(server, shop, email))!.text).toContain('closed');
    await shop.commerce('PATCH', '/checkout-settings', { store_url: 'https://shop.example.com' });
    const invited = await shop.commerce('POST', `/customers/${id}/invite`);
    expect(invited.body.data.account).toBe('invited');
    expect((await newestMail(server, shop, email))!.text).toContain('https://shop.example.com');
    const opened = await post('/customers/verify', { email, code: await code(email) });
    expect([opened.status, (await account(id)).account]).toEqual([200, 'active']);
    expect((await shop.commerce('POST', '/customers/999999/invite')).status).toBe(404);
  });

  test('merges customers: the addresses go along, sessions and codes end', async () => {
    const [into, from] = [await member(), await member()];
    await post('/me/addresses', { address: '1 Main St', city: 'A', zip: '1', country: 'DE' }, from.headers);
    expect((await shop.commerce('POST', `/customers/${into.id}/merge`, { from: from.id })).status).toBe(200);
    expect(reasonOf(await store.get('/me', from.headers))).toEqual(SIGNED_OUT);
    expect((await store.get('/me/addresses', into.headers)).body.data).toHaveLength(1);
    expect(await server.rows('select 1 from customer_codes where email = $1', [from.email])).toEqual([]);
  });
});
