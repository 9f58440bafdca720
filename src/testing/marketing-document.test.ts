import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, type TestResponse, testServer } from './harness.ts';

/** What the document of the marketing API shows, as tables: one for each of its sections. */

const server = testServer({ impatient: true, described: true });
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describe('Flows', () => {
  const flow = { name: 'Big orders', trigger_type: 'order_placed' };

  test('create: draft by default, active when asked for; trigger_conditions are kept', async () => {
    const conditions = { operator: 'and', rules: [{ field: 'total', comparison: 'greater_than', value: 100 }] };
    const draft = await shop.marketing('POST', '/flows', { ...flow, trigger_conditions: conditions });
    expect(draft.status).toBe(201);
    expect(draft.body).toMatchObject({ ...flow, status: 'draft', trigger_conditions: conditions });
    expect(draft.body.flow_id).toEqual(expect.any(Number));
    expect(draft.body.created_at).toMatch(TIMESTAMP);
    expect((await shop.marketing('POST', '/flows', { ...flow, status: 'active' })).body.status).toBe('active');
  });

  test.each([['name'], ['trigger_type']])('%s is required', async (field) => {
    const response = await shop.marketing('POST', '/flows', { ...flow, [field]: undefined });
    expect([response.status, response.body.error]).toEqual([400, 'bad_request']);
    expect(response.body.message).toContain(field);
  });

  test('the list holds a flows array with steps and connections, filtered by status and trigger_type', async () => {
    const own = await server.company();
    await own.marketing('POST', '/flows', flow);
    await own.marketing('POST', '/flows', { name: 'Other', trigger_type: 'cart_abandoned', status: 'active' });
    const names = async (query: string) =>
      (await own.marketing('GET', `/flows${query}`)).body.flows!.map((one: TestBody) => one.name);
    expect((await own.marketing('GET', '/flows')).body.flows![0]).toMatchObject({ steps: [], connections: [] });
    expect((await names('')).length).toBe(2);
    expect(await names('?status=active')).toEqual(['Other']);
    expect(await names('?trigger_type=order_placed')).toEqual(['Big orders']);
    expect((await own.marketing('GET', '/flows?status=sleeping')).status).toBe(400);
  });

  test('update and delete', async () => {
    const { flow_id } = (await shop.marketing('POST', '/flows', flow)).body;
    expect((await shop.marketing('PUT', `/flows/${flow_id}`, { name: 'Renamed' })).body.name).toBe('Renamed');
    expect((await shop.marketing('DELETE', `/flows/${flow_id}`)).body).toEqual({ flow_id, deleted: true });
    expect((await shop.marketing('GET', `/flows/${flow_id}`)).status).toBe(404);
  });
});

describe('Campaigns', () => {
  const campaign = { name: 'Spring', type: 'email', subject: 'Hello', preview_text: 'New in', content: '<p>Hi</p>' };

  test('create gives campaign_id at the top level; the fields come back', async () => {
    const list = (await shop.marketing('POST', '/lists', { name: 'All' })).body.list_id;
    const made = await shop.marketing('POST', '/campaigns', {
      ...campaign,
      list_id: list,
      scheduled_at: '2030-01-01 09:00:00',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...campaign,
      list_id: list,
      scheduled_at: '2030-01-01 09:00:00',
      status: 'scheduled',
    });
    expect(made.body.campaign_id).toEqual(expect.any(Number));
  });

  test('the list: type, status, page, per_page with 20 by default', async () => {
    const own = await server.company();
    for (const type of ['email', 'sms']) await own.marketing('POST', '/campaigns', { name: type, type });
    const list = await own.marketing('GET', '/campaigns');
    expect([list.body.campaigns!.length, list.body.pagination]).toEqual([
      2,
      { page: 1, per_page: 20, total: 2, total_pages: 1 },
    ]);
    const sms = await own.marketing('GET', '/campaigns?type=sms&status=draft');
    expect(sms.body.campaigns!.map((one: TestBody) => one.name)).toEqual(['sms']);
    expect((await own.marketing('GET', '/campaigns?type=fax')).status).toBe(400);
  });

  test('sending without scheduled_at sends immediately, with it schedules', async () => {
    const list = (await shop.marketing('POST', '/lists', { name: 'Few' })).body.list_id;
    const make = async () =>
      (await shop.marketing('POST', '/campaigns', { ...campaign, list_id: list })).body.campaign_id;
    const later = await shop.marketing('POST', `/campaigns/send/${await make()}`, {
      scheduled_at: '2030-01-01 09:00:00',
    });
    expect([later.status, later.body.status, later.body.scheduled_at]).toEqual([
      200,
      'scheduled',
      '2030-01-01 09:00:00',
    ]);
    const now = await shop.marketing('POST', `/campaigns/send/${await make()}`);
    expect(now.status).toBe(200);
    expect(['sending', 'sent']).toContain(now.body.status);
  });
});

describe('Contacts', () => {
  const contact = {
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: 'Byron',
    phone: '+12025550123',
    external_id: 'pos-1',
    source: 'till',
    tags: ['vip'],
    properties: { size: 'M' },
  };

  test('create or update: the fields come back, with status subscribed', async () => {
    const made = await shop.marketing('POST', '/contacts', contact);
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ ...contact, status: 'subscribed' })]);
    const again = await shop.marketing('POST', '/contacts', { email: contact.email, first_name: 'Augusta' });
    expect([again.status, again.body.first_name, again.body.last_name]).toEqual([200, 'Augusta', 'Byron']);
  });

  test('the list: status, list_id, search over name and e-mail, page and per_page of at most 100', async () => {
    const own = await server.company();
    const list = (await own.marketing('POST', '/lists', { name: 'News' })).body.list_id;
    await own.marketing('POST', '/contacts', { ...contact, list_ids: [list] });
    await own.marketing('POST', '/contacts', { email: 'bob@example.org', first_name: 'Bob' });
    const emails = async (query: string) =>
      (await own.marketing('GET', `/contacts?${query}`)).body.contacts!.map((one: TestBody) => one.email);
    expect(await emails(`list_id=${list}`)).toEqual(['ada@example.com']);
    expect(await emails('search=BYRON')).toEqual(['ada@example.com']);
    expect(await emails('search=example.org')).toEqual(['bob@example.org']);
    expect(await emails('status=unsubscribed')).toEqual([]);
    expect((await own.marketing('GET', '/contacts?per_page=500')).body.pagination!.per_page).toBe(100);
    expect((await own.marketing('GET', '/contacts?status=gone')).status).toBe(400);
  });
});

describe('Events', () => {
  const item = { product_id: '7', name: 'Mug', price: 9.5, quantity: 2 };
  const types: [string, Record<string, unknown>][] = [
    ['customer_created', { email: 'new@example.com', first_name: 'New', last_name: 'One' }],
    ['order_placed', { order_id: '1', email: 'new@example.com', total: 19 }],
    ['order_completed', { order_id: '1', email: 'new@example.com' }],
    ['cart_abandoned', { email: 'new@example.com', cart_total: 19, items: [item] }],
    ['product_viewed', { email: 'new@example.com', product_id: '7', product_name: 'Mug' }],
    ['subscription_created', { email: 'new@example.com', subscription_id: '3', plan: 'Monthly' }],
    ['subscription_cancelled', { email: 'new@example.com', subscription_id: '3' }],
  ];

  test.each(types)('%s is taken with its required keys', async (event_type, event_data) => {
    const response = await shop.marketing('POST', '/events', { event_type, event_data });
    expect([response.status, response.body]).toEqual([
      201,
      expect.objectContaining({ event_type, status: 'accepted', duplicate: false }),
    ]);
  });

  test.each(types)('%s without one of them names it', async (event_type, event_data) => {
    for (const key of Object.keys(event_data)) {
      const response = await shop.marketing('POST', '/events', {
        event_type,
        event_data: { ...event_data, [key]: undefined },
      });
      expect([response.status, response.body.message]).toEqual([400, `Missing required event_data keys: ${key}`]);
    }
  });

  test('event_type and event_data are required; a type outside the list is refused', async () => {
    for (const body of [
      { event_data: {} },
      { event_type: 'order_placed' },
      { event_type: 'door_opened', event_data: { email: 'a@b.co' } },
    ]) {
      expect((await shop.marketing('POST', '/events', body)).status).toBe(400);
    }
  });

  test('an event starts the flows of its type', async () => {
    const own = await server.company();
    const { flow_id } = (
      await own.marketing('POST', '/flows', { name: 'F', trigger_type: 'order_placed', status: 'active' })
    ).body;
    const response = await own.marketing('POST', '/events', { event_type: 'order_placed', event_data: types[1]![1] });
    expect(response.body.flows_triggered).toEqual([flow_id]);
  });
});

describe('Addresses, authentication and errors', () => {
  test('both forms of the address lead to the same', async () => {
    const headers = { authorization: `Bearer ${shop.key}`, 'x-company-id': String(shop.company_id) };
    for (const root of ['/marketing/v1', '/marketing']) {
      expect((await server.request('GET', `${root}/flows`, { headers })).status).toBe(200);
    }
  });

  const attempts: [string, number, () => Promise<TestResponse>][] = [
    ['no key', 401, () => server.request('GET', '/marketing/v1/flows', { headers: { 'x-company-id': '1' } })],
    ['a wrong key', 401, () => shop.marketing('GET', '/flows', undefined, { authorization: 'Bearer nonsense' })],
    [
      'no company',
      400,
      () => server.request('GET', '/marketing/v1/flows', { headers: { authorization: `Bearer ${shop.key}` } }),
    ],
    ['another company', 401, () => shop.marketing('GET', '/flows', undefined, { 'x-company-id': '999999' })],
    ['an unknown record', 404, () => shop.marketing('GET', '/flows/999999')],
    ['a wrong parameter', 400, () => shop.marketing('GET', '/contacts?page=0')],
  ];
  test.each(attempts)('%s returns %d in the form {error, code, message}', async (_what, status, attempt) => {
    const { status: given, body } = await attempt();
    const slugs: Record<number, string> = { 400: 'bad_request', 401: 'unauthorized', 404: 'not_found' };
    expect([given, body]).toEqual([
      status,
      { error: slugs[status], code: status, message: expect.any(String), details: expect.any(Array) },
    ]);
  });
});

describe('Limits', () => {
  test('responses carry the three rate headers; over the limit is 429', async () => {
    const own = await server.company({ requestsPerHour: 3 });
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await own.marketing('GET', '/flows'));
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 429]);
    expect(responses.map((response) => response.headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0']);
    expect(responses[0]!.headers.get('x-ratelimit-limit')).toBe('3');
    expect(Number(responses[0]!.headers.get('x-ratelimit-reset'))).toBe(server.clock.now().getTime() / 1000 + 3_600);
    expect(responses[3]!.body).toMatchObject({ error: 'rate_limit_exceeded', code: 429 });
  });
});
