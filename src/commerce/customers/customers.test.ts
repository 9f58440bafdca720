import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer({ impatient: true });
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

const PASSWORD = 'a horse of course';

async function create(fields: object = {}, company = shop) {
  const response = await company.commerce('POST', '/customers', { email: freshEmail(), ...fields });
  expect(response.status).toBe(201);
  return response.body.data!;
}

let made = 0;
function freshEmail(): string {
  return `customer${++made}@example.com`;
}

function fieldErrors(body: { error: { details: { fields: { field: string; code: string }[] } } }): string[] {
  return body.error.details.fields.map(({ field, code }) => `${field} ${code}`);
}

test('a state is stored as its code; an unknown one is refused where the shop needs it', async () => {
  const own = await server.company();
  const path = `/customers/${(await create({ shipping_state: 'Texas', shipping_country: 'US' }, own)).id}`;
  expect((await own.commerce('GET', path)).body.data).toMatchObject({ shipping_state: 'TX' });
  const set = (patch: object) => own.commerce('PATCH', path, patch);
  expect((await set({ shipping_state: 'Texsa' })).body.data).toMatchObject({ shipping_state: 'Texsa' });
  await own.commerce('POST', '/tax-rules', { name: 'Tax', country: 'US', state: 'TX', rate: 0.1 });
  const refused = await set({ shipping_state: 'Texsa' });
  expect([refused.status, fieldErrors(refused.body)]).toEqual([422, ['shipping_state unknown']]);
  expect((await set({ first_name: 'Ann' })).status).toBe(200);
  expect((await set({ shipping_state: 'Bavaria', shipping_country: 'DE' })).body.data).toMatchObject({
    shipping_state: 'BY',
    shipping_country: 'DE',
  });
});

describe('POST /customers', () => {
  test('201 with the full record; the documented fields and the additional ones', async () => {
    const input = {
      email: ' Ann.Lee@Example.com ',
      password: PASSWORD,
      first_name: ' Ann ',
      last_name: 'Lee',
      phone: '(415) 555-2671',
      accepts_marketing: true,
      shipping_address: '1 Main St',
      shipping_city: 'Springfield',
      shipping_state: 'IL',
      shipping_zip: '62701',
      shipping_country: 'United States',
      metadata: { tier: 'gold', ids: [1, 2] },
    };
    const { status, headers, body } = await shop.commerce('POST', '/customers', input);
    expect(status).toBe(201);
    expect(body.success).toBe(true);
    expect(body.meta).toEqual({ request_id: headers.get('x-request-id') });
    const { password: _, ...rest } = input;
    expect(body.data).toEqual({
      ...rest,
      account: 'active',
      email_verified: false,
      custom: {},
      id: expect.any(Number),
      revision: 1,
      email: 'Ann.Lee@Example.com',
      first_name: 'Ann',
      phone: '+14155552671',
      shipping_country: 'US',
      created_at: '2026-03-15T12:00:00.000Z',
      updated_at: '2026-03-15T12:00:00.000Z',
    });
    expect((await shop.commerce('GET', `/customers/${body.data!.id}`)).body.data).toEqual(body.data);
  });

  test('requires only an e-mail address; unknown fields are empty strings', async () => {
    const customer = await create({ email: 'only@example.com' });
    expect(customer).toEqual({
      id: customer.id,
      revision: 1,
      email: 'only@example.com',
      first_name: '',
      last_name: '',
      phone: '',
      accepts_marketing: false,
      account: 'none',
      email_verified: false,
      metadata: {},
      custom: {},
      shipping_address: '',
      shipping_city: '',
      shipping_state: '',
      shipping_zip: '',
      shipping_country: '',
      created_at: customer.created_at,
      updated_at: customer.created_at,
    });
  });

  test.each([
    ['+49 30 123456', {}, '+4930123456'],
    ['030 123456', { shipping_country: 'Germany' }, '+4930123456'],
    ['ask for Ann', {}, 'ask for Ann'],
    ['', {}, ''],
    [null, {}, ''],
  ])('phone %j is kept in E.164 where it can be read', async (phone, fields, kept) => {
    expect((await create({ phone, ...fields })).phone).toBe(kept);
  });

  test('422 with every failing field at once', async () => {
    const { status, body } = await shop.commerce('POST', '/customers', {
      password: 'short',
      first_name: 7,
      phone: 'x'.repeat(65),
      accepts_marketing: 'yes',
      metadata: [],
    });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 422, details: { reason: 'validation_failed' } });
    expect(fieldErrors(body).sort()).toEqual([
      'accepts_marketing wrong_type',
      'email required',
      'first_name wrong_type',
      'metadata wrong_type',
      'password too_short',
      'phone too_long',
    ]);
  });

  test('also fields with invalid values only', async () => {
    const wrong = { email: 'nobody', password: 'Password1', shipping_country: 'Atlantis' };
    const { body } = await shop.commerce('POST', '/customers', wrong);
    expect(fieldErrors(body).sort()).toEqual(['email wrong_format', 'password too_common', 'shipping_country unknown']);
  });

  test.each([
    [{ email: 'nobody' }, 'email wrong_format'],
    [{ email: '   ' }, 'email too_short'],
    [{ email: null }, 'email wrong_type'],
    [{ email: 'a@b.example\u0000' }, 'email invalid'],
    [{ password: 'x'.repeat(201) }, 'password too_long'],
    [{ password: 12345678 }, 'password wrong_type'],
    [{ password: 'Password1' }, 'password too_common'],
    [{ shipping_country: 'Atlantis' }, 'shipping_country unknown'],
    [{ metadata: { text: 'x'.repeat(17_000) } }, 'metadata too_long'],
  ])('422 for what a field cannot be (%#)', async (fields, error) => {
    const { status, body } = await shop.commerce('POST', '/customers', { email: freshEmail(), ...fields });
    expect(status).toBe(422);
    expect(fieldErrors(body)).toEqual([error]);
  });

  test('400 for a body that is no JSON object, and unknown fields are named', async () => {
    const headers = { 'x-api-key': shop.key };
    expect((await server.request('POST', '/commerce/v1/customers', { raw: '[1]', headers })).status).toBe(400);
    expect((await server.request('POST', '/commerce/v1/customers', { raw: '{', headers })).status).toBe(400);
    const response = await shop.commerce('POST', '/customers', {
      email: freshEmail(),
      company_id: 1,
      id: 5,
      vip: true,
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ignored-fields')).toBe('company_id, id, vip');
  });

  test('the marketing side hears of it in the same transaction', async () => {
    const own = await server.company();
    const input = { email: 'heard@example.com', first_name: 'H', last_name: 'E', phone: '415 555 2671' };
    const { id } = await create({ ...input, password: PASSWORD }, own);
    const rows = await server.rows('select topic, payload, occurred_at from outbox where company_id = $1', [
      own.company_id,
    ]);
    const payload = { ...input, phone: '+14155552671', customer_id: String(id), accepts_marketing: false };
    expect(rows).toEqual([{ topic: 'customer_created', payload, occurred_at: server.clock.now() }]);
    expect((await own.commerce('POST', '/customers', input)).status).toBe(422);
    expect(await server.rows('select 1 from outbox where company_id = $1', [own.company_id])).toHaveLength(1);
  });
});

describe('an e-mail address is unique in a company without regard to case', () => {
  test('422 duplicate on create and on change; other companies do not matter', async () => {
    const { id } = await create({ email: 'First@Example.com' });
    const again = await shop.commerce('POST', '/customers', { email: 'fIRST@example.COM' });
    expect(again.status).toBe(422);
    expect(again.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'email' });
    const other = await create();
    const changed = await shop.commerce('PATCH', `/customers/${other.id}`, { email: 'first@example.com' });
    expect(changed.body.error!.details!.reason).toBe('duplicate');
    expect((await shop.commerce('PATCH', `/customers/${id}`, { email: 'FIRST@example.com' })).status).toBe(200);
    expect((await create({ email: 'first@example.com' }, await server.company())).email).toBe('first@example.com');
  });

  test('the two forms of an international domain are one', async () => {
    expect((await create({ email: 'Ann@Bücher.example' })).email).toBe('ann@xn--bcher-kva.example');
    const again = await shop.commerce('POST', '/customers', { email: 'ANN@xn--bcher-kva.example' });
    expect(again.body.error!.details!.reason).toBe('duplicate');
  });

  test('of twenty creates at once one wins', async () => {
    const emails = Array.from({ length: 20 }, (_, i) => (i % 2 ? 'race@example.com' : 'RACE@example.com'));
    const responses = await Promise.all(emails.map((email) => shop.commerce('POST', '/customers', { email })));
    expect(responses.map((response) => response.status).sort()).toEqual([201, ...new Array(19).fill(422)]);
    expect((await shop.commerce('GET', '/customers?email=race@example.com')).body.meta!.pagination!.total).toBe(1);
  });
});

describe('PATCH /customers/{id}', () => {
  test('changes only the given fields', async () => {
    const before = await create({ first_name: 'Ann', phone: '+14155552671', metadata: { a: 1 } });
    server.clock.advance(60_000);
    const fields = { last_name: 'Lee', shipping_city: 'Berlin', shipping_country: 'DE', metadata: { b: 2 } };
    const { status, body } = await shop.commerce('PATCH', `/customers/${before.id}`, fields);
    expect(status).toBe(200);
    const updated_at = server.clock.now().toISOString();
    expect(body.data).toEqual({ ...before, ...fields, revision: 2, updated_at });
    const cleared = await shop.commerce('PATCH', `/customers/${before.id}`, { phone: null, shipping_city: '' });
    expect(cleared.body.data).toEqual({ ...body.data!, revision: 3, phone: '', shipping_city: '' });
    expect((await shop.commerce('PATCH', `/customers/${before.id}`, {})).body.data).toEqual(cleared.body.data);
  });

  test('rejects the password and fields that the service maintains', async () => {
    const customer = await create({ password: PASSWORD });
    const fields = { password: 'another horse', id: 1, created_at: '2000-01-01T00:00:00Z', company_id: 1 };
    const response = await shop.commerce('PATCH', `/customers/${customer.id}`, fields);
    expect(response.headers.get('x-ignored-fields')).toBe('password, id, created_at, company_id');
    expect(response.body.data).toMatchObject({ id: customer.id, created_at: customer.created_at });
    const check = await shop.commerce('POST', `/customers/${customer.id}/verify-password`, { password: PASSWORD });
    expect(check.body.data).toEqual({ customer_id: customer.id, valid: true });
  });

  test('404 for unknown, foreign and impossible ids; 422 for wrong fields', async () => {
    const foreign = await create({}, await server.company());
    for (const id of ['999999', String(foreign.id), 'abc', '0', '-1', '9007199254740993']) {
      expect((await shop.commerce('GET', `/customers/${id}`)).status).toBe(404);
      const patched = await shop.commerce('PATCH', `/customers/${id}`, { first_name: 'x' });
      expect(patched.status).toBe(404);
      expect(patched.body.error!.details!.reason).toBe('not_found');
    }
    const { id } = await create();
    expect(fieldErrors((await shop.commerce('PATCH', `/customers/${id}`, { email: 'x' })).body)).toEqual([
      'email wrong_format',
    ]);
  });
});

describe('GET /customers', () => {
  test('newest first in exact pages; search by parts of name, address and phone; by e-mail', async () => {
    const own = await server.company();
    const ids: number[] = [];
    for (let i = 0; i < 30; i++) {
      const fields = { email: `Person${i}@example.com`, first_name: i % 3 ? 'José' : 'Anna', last_name: `No${i}` };
      ids.unshift((await create({ ...fields, phone: `+1415555${2000 + i}` }, own)).id as number);
    }
    const list = async (query: string) => (await own.commerce('GET', `/customers?${query}`)).body;
    const first = await list('');
    expect(first.data!.map((customer: TestBody) => customer.id)).toEqual(ids.slice(0, 25));
    expect(first.meta!.pagination).toEqual({ page: 1, per_page: 25, total: 30, total_pages: 2 });
    expect((await list('page=4&per_page=9')).data!.map((customer: TestBody) => customer.id)).toEqual(ids.slice(27));
    expect(await list('page=9')).toMatchObject({ data: [], meta: { pagination: { total: 30, page: 9 } } });
    expect((await list('search=JOSE')).meta!.pagination!.total).toBe(20);
    const far = 'search=JOSE&per_page=100&page=1000000000';
    expect(await list(far)).toMatchObject({ data: [], meta: { pagination: { total: 20 } } });
    expect((await list('search=ann%20no9')).data!.map((customer: TestBody) => customer.first_name)).toEqual(['Anna']);
    expect((await list('search=4155552017')).meta!.pagination!.total).toBe(1);
    expect((await list('search=%25&page=2')).meta!.pagination!.total).toBe(0);
    expect((await list('email=PERSON7@EXAMPLE.com')).data!.map((customer: TestBody) => customer.email)).toEqual([
      'Person7@example.com',
    ]);
    expect((await list('email=person7@example.com&search=nobody')).data).toEqual([]);
    expect((await list('email=nonsense')).meta!.pagination).toEqual({
      page: 1,
      per_page: 25,
      total: 0,
      total_pages: 0,
    });
  });

  test('by a tag of their contacts, with other filters, in any order, as a page and whole', async () => {
    const [own, other] = [await server.company(), await server.company()];
    const customers = [];
    for (const first_name of ['Ann', 'Bob', 'Cleo']) customers.push(await create({ first_name }, own));
    const [ann, bob] = customers;
    await create({ first_name: 'Eve' }, other);
    for (const [company, external_id, tags] of [
      [own, String(ann.id), ['vip', 'tea']],
      [own, String(bob.id), ['vip']],
      // Of nobody, and of a customer of another company.
      [own, 'till-7', ['vip']],
      [other, String(ann.id), ['vip']],
    ] as const) {
      const { status } = await company.marketing('POST', '/contacts', { external_id, tags });
      expect(status).toBe(201);
    }
    const idsOf = async (query: string, company = own) => {
      const { body } = await company.commerce('GET', `/customers?${query}`);
      return [body.meta.pagination.total, body.data.map(({ id }: { id: number }) => id)];
    };
    expect(await idsOf('tag=vip')).toEqual([2, [bob.id, ann.id]]);
    expect(await idsOf('tag=vip&per_page=1&page=2&sort=spent_desc')).toEqual([2, [expect.any(Number)]]);
    expect(await idsOf('tag=vip&search=an')).toEqual([1, [ann.id]]);
    expect(await idsOf('tag=tea&search=bob')).toEqual([0, []]);
    expect(await idsOf('tag=VIP')).toEqual([0, []]);
    expect(await idsOf('tag=tea', other)).toEqual([0, []]);
    const { body } = await own.commerce('GET', '/customers?tag=vip&format=csv');
    expect(String(body).trim().split('\n')).toHaveLength(3);
  });

  test('400 for invalid pages', async () => {
    for (const query of ['page=0', 'per_page=0', 'page=x', 'email=a&email=b']) {
      expect((await shop.commerce('GET', `/customers?${query}`)).status).toBe(400);
    }
    expect((await shop.commerce('GET', '/customers?per_page=1000')).body.meta!.pagination!.per_page).toBe(100);
  });
});

describe('scopes', () => {
  test('read and write are apart', async () => {
    const reader = await server.company({ scopes: ['customers:read'] });
    const refused = await reader.commerce('POST', '/customers', { email: 'a@example.com' });
    expect(refused.status).toBe(403);
    expect(refused.body.error!.details).toMatchObject({ reason: 'missing_scope', required: 'customers:write' });
    expect((await reader.commerce('GET', '/customers')).status).toBe(200);
    expect((await reader.commerce('GET', '/customers', undefined, { 'x-api-key': 'none' })).status).toBe(401);
    const writer = await server.company({ scopes: ['customers:write'] });
    const { id } = await create({}, writer);
    expect((await writer.commerce('GET', `/customers/${id}`)).status).toBe(403);
    const password = { password: 'x' };
    expect((await reader.commerce('POST', `/customers/${id}/verify-password`, password)).status).toBe(403);
    expect((await writer.commerce('POST', `/customers/${id}/verify-password`, password)).status).toBe(200);
  });
});

describe('passwords', () => {
  const verify = (id: unknown, password: string) =>
    shop.commerce('POST', `/customers/${id}/verify-password`, { password });

  test('are stored as argon2id and nowhere else', async () => {
    const own = await server.company();
    const customer = await own.commerce(
      'POST',
      '/customers',
      { email: 'p@example.com', password: PASSWORD },
      { 'idempotency-key': 'with-password' },
    );
    expect(JSON.stringify(customer.body)).not.toMatch(/password|argon2/);
    const [row] = await server.rows<{ password_hash: string }>(
      'select password_hash from customers where company_id = $1',
      [own.company_id],
    );
    expect(row!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    for (const table of ['customers', 'outbox', 'idempotency_keys', 'audit_log', 'counter_deltas']) {
      const rows = await server.rows(`select to_jsonb(t)::text as row from ${table} t`);
      expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    }
  });

  test('are verified; a customer without one has no valid password; unknown customers are 404', async () => {
    const { id } = await create({ password: PASSWORD });
    expect(await verify(id, PASSWORD)).toMatchObject({ status: 200, body: { data: { customer_id: id, valid: true } } });
    expect((await verify(id, 'another horse')).body.data).toEqual({ customer_id: id, valid: false });
    expect((await verify((await create()).id, PASSWORD)).body.data!.valid).toBe(false);
    expect((await verify(999_999, PASSWORD)).status).toBe(404);
    const foreign = await create({ password: PASSWORD }, await server.company());
    expect((await verify(foreign.id, PASSWORD)).status).toBe(404);
    expect((await shop.commerce('POST', `/customers/${id}/verify-password`, {})).status).toBe(422);
  });

  test('can be replaced', async () => {
    const { id } = await create();
    const set = (password: string) => shop.commerce('POST', `/customers/${id}/password`, { password });
    const response = await set(PASSWORD);
    expect(response).toMatchObject({ status: 200, body: { data: { id } } });
    expect(fieldErrors((await set('12345678')).body)).toEqual(['password too_common']);
    expect((await verify(id, PASSWORD)).body.data!.valid).toBe(true);
    await set('another horse');
    expect((await verify(id, PASSWORD)).body.data!.valid).toBe(false);
    expect((await shop.commerce('POST', '/customers/999999/password', { password: PASSWORD })).status).toBe(404);
  });

  test('ten wrong ones in 15 minutes get a response, also at the same time; right ones do not count', async () => {
    const { id } = await create({ password: PASSWORD });
    for (let i = 0; i < 12; i++) expect((await verify(id, PASSWORD)).body.data!.valid).toBe(true);
    const wrong = await Promise.all(Array.from({ length: 15 }, () => verify(id, 'another horse')));
    expect(wrong.map((response) => response.status).sort()).toEqual([
      ...new Array(10).fill(200),
      ...new Array(5).fill(429),
    ]);
    server.clock.advance(60_000);
    const refused = await verify(id, PASSWORD);
    expect(refused.status).toBe(429);
    expect(refused.body.error!.details).toMatchObject({ reason: 'rate_limited', retry_after: 840 });
    expect(refused.headers.get('retry-after')).toBe('840');
    server.clock.advance(840_000);
    expect((await verify(id, PASSWORD)).body.data!.valid).toBe(true);
  });

  test('a new password ends the wait for the old one', async () => {
    const { id } = await create({ password: PASSWORD });
    await Promise.all(Array.from({ length: 10 }, () => verify(id, 'another horse')));
    expect((await verify(id, PASSWORD)).status).toBe(429);
    await shop.commerce('POST', `/customers/${id}/password`, { password: 'another horse' });
    expect((await verify(id, 'another horse')).body.data!.valid).toBe(true);
  });

  test('hashes of older parameters are renewed at the next sign-in', async () => {
    const { id } = await create();
    const weak = '$argon2id$v=19$m=8192,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$64zw4y6hGNSGW1HTKDajc74EIkJpCJ+AUBXDspyrFEU';
    const hashOf = async () =>
      (await server.rows<{ hash: string }>('select password_hash as hash from customers where id = $1', [id]))[0]!.hash;
    await server.rows('update customers set password_hash = $1 where id = $2', [weak, id]);
    expect((await verify(id, 'wrong horse')).body.data!.valid).toBe(false);
    expect(await hashOf()).toBe(weak);
    expect((await verify(id, 'correct horse')).body.data!.valid).toBe(true);
    expect(await hashOf()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await verify(id, 'correct horse')).body.data!.valid).toBe(true);
  });
});

test('a repeated create with its Idempotency-Key gets the stored response', async () => {
  const headers = { 'idempotency-key': 'customer-1' };
  const input = { email: 'idem@example.com', password: PASSWORD };
  const first = await shop.commerce('POST', '/customers', input, headers);
  const second = await shop.commerce('POST', '/customers', input, headers);
  expect([second.status, second.body]).toEqual([201, first.body]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  const other = await shop.commerce('POST', '/customers', { ...input, first_name: 'x' }, headers);
  expect(other).toMatchObject({ status: 422, body: { error: { details: { reason: 'idempotency_key_reused' } } } });
});

test('any text comes back as it went in, trimmed', async () => {
  const own = await server.company();
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((it) => it.isWellFormed() && !it.includes('\0'));
  await fc.assert(
    fc.asyncProperty(text, text, fc.jsonValue({ maxDepth: 3 }), async (first_name, shipping_city, value) => {
      // NUL and lone surrogates, which are refused, come as escapes.
      fc.pre(!JSON.stringify(value).includes('\\u'));
      const customer = await create({ first_name, shipping_city, metadata: { value } }, own);
      expect(customer).toMatchObject({ first_name: first_name.trim(), shipping_city: shipping_city.trim() });
      expect(customer.metadata).toEqual({ value: JSON.parse(JSON.stringify(value)) });
    }),
    { numRuns: 40 },
  );
});
