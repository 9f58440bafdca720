import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../access/webhook-secrets.ts';
import { webhookSenders } from '../../doctor/webhook-senders.ts';
import { signDelivery } from '../../outbox/endpoints/sign.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { changeWebhookSettings } from './settings.ts';
import { signBody } from './signature.ts';

const server = testServer({ impatient: true });
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});
// Rejected requests are limited per address and minute.
beforeEach(() => server.clock.advance(61_000));

let serial = 0;
const fresh = (prefix: string): string => `${prefix}-${++serial}`;
const order = (more: object = {}) => ({
  event_type: 'order_placed',
  event_data: { order_id: fresh('o'), email: 'ann@example.com', total: 10 },
  ...more,
});
const post = (raw: string, headers: Record<string, string>) =>
  server.request('POST', '/marketing/webhook', { raw, headers });
const seconds = (): number => Math.floor(server.clock.now().getTime() / 1000);
const signed = (raw: string, company: TestCompany): Record<string, string> => ({
  'x-company-id': String(company.company_id),
  'x-webhook-signature': signBody(company.webhook_secret, raw, { timestamp: seconds() }),
});
/** Sends the body, signed with the company's secret. */
const send = (body: unknown, company = shop) => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  return post(raw, signed(raw, company));
};
const stored = async (orderId: string): Promise<number> => {
  const rows = await server.rows("select 1 from events where data ->> 'order_id' = $1", [orderId]);
  return rows.length;
};

const settle = (company: TestCompany, settings: object) =>
  server.rows('update companies set settings = jsonb_build_object($2::text, $3::jsonb) where company_id = $1', [
    company.company_id,
    'webhook',
    settings,
  ]);

describe('POST /marketing/webhook', () => {
  it('accepts an event without a bearer key', async () => {
    const event = order();
    const response = await send(event);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ received: true, accepted: 1, duplicates: 0, rejected: [] });
    const [row] = await server.rows("select source, company_id from events where data ->> 'order_id' = $1", [
      event.event_data.order_id,
    ]);
    expect(row).toEqual({ source: 'webhook', company_id: String(shop.company_id) });
  });

  it('is also available under the versioned path', async () => {
    const raw = JSON.stringify(order());
    const response = await server.request('POST', '/marketing/v1/webhook', { raw, headers: signed(raw, shop) });
    expect(response.body).toMatchObject({ received: true, accepted: 1 });
  });

  it('accepts up to 500 events, each alone', async () => {
    const twin = order();
    const response = await send({ events: [twin, twin, { event_type: 'order_placed', event_data: {} }, order()] });
    expect(response.body).toEqual({
      received: true,
      accepted: 2,
      duplicates: 1,
      rejected: [{ index: 2, message: 'Missing required event_data keys: order_id, email, total' }],
    });
    const many = await send({ events: Array.from({ length: 500 }, () => order()) });
    expect(many.body).toMatchObject({ accepted: 500 });
    expect((await send({ events: Array.from({ length: 501 }, () => order()) })).status).toBe(400);
  });

  it('honours an Idempotency-Key, separate for each company’s webhook, and replays refusals', async () => {
    const other = await server.company();
    const key = { 'idempotency-key': fresh('key') };
    const raw = JSON.stringify({ events: [order(), order()] });
    const first = await post(raw, { ...signed(raw, shop), ...key });
    expect([first.status, first.body.accepted, first.headers.get('idempotent-replayed')]).toEqual([200, 2, null]);
    // Signed again, as every retry is.
    server.clock.advance(1_000);
    const again = await post(raw, { ...signed(raw, shop), ...key });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    expect((await post(raw, { ...signed(raw, other), ...key })).body).toEqual(first.body);
    const changed = JSON.stringify(order());
    expect((await post(changed, { ...signed(changed, shop), ...key })).status).toBe(400);
    // The same Idempotency-Key with an API key is a different one.
    const sent = {
      event_type: 'order_placed',
      event_data: { order_id: fresh('o'), email: 'ann@example.com', total: 1 },
    };
    expect((await shop.marketing('POST', '/events', sent, key)).status).toBe(201);

    const bad = JSON.stringify({ events: [{ event_type: 'none', event_data: {} }] });
    const refusal = { 'idempotency-key': fresh('key') };
    const responses = [
      await post(bad, { ...signed(bad, shop), ...refusal }),
      await post(bad, { ...signed(bad, shop), ...refusal }),
    ];
    expect(responses.map((one) => [one.status, one.headers.get('idempotent-replayed')])).toEqual([
      [400, null],
      [400, 'true'],
    ]);
    const unsigned = await post(raw, { 'x-company-id': String(shop.company_id), ...key });
    expect([unsigned.status, unsigned.headers.get('idempotent-replayed')]).toEqual([401, null]);
  });

  it('processes concurrent requests of one Idempotency-Key once', async () => {
    const raw = JSON.stringify(order());
    const headers = { ...signed(raw, shop), 'idempotency-key': fresh('key') };
    const responses = await Promise.all(Array.from({ length: 6 }, () => post(raw, headers)));
    expect(responses.map((one) => one.body.accepted)).toEqual(Array(6).fill(1));
    expect(responses.filter((one) => one.headers.get('idempotent-replayed') === 'true')).toHaveLength(5);
  });

  it('records once an hour that a sender signs without a timestamp, for the doctor', async () => {
    const company = await server.company();
    const { company_id: id } = company;
    const bare = async () => {
      const raw = JSON.stringify(order());
      const signature = signBody(company.webhook_secret, raw);
      return (await post(raw, { 'x-company-id': String(id), 'x-webhook-signature': signature })).status;
    };
    const named = async () =>
      (await webhookSenders(server.app.db, server.clock.now())).examples.filter((one) => one.company_id === id);
    await send(order(), company);
    expect(await named()).toEqual([]);
    const notes = await recordStatements(async () => {
      for (let i = 0; i < 5; i++) expect(await bare()).toBe(200);
    });
    expect(notes.filter(({ text }) => text.includes('webhook_senders'))).toHaveLength(1);
    const day = server.clock.now().toISOString().slice(0, 10);
    expect(await named()).toEqual([{ company_id: id, subject: `took one signed over the body alone on ${day}` }]);
    server.clock.advance(3_600_000);
    const later = await recordStatements(bare);
    expect(later.filter(({ text }) => text.includes('webhook_senders'))).toHaveLength(1);
    await changeWebhookSettings(
      server.app.db,
      id,
      { require_timestamp: true },
      { now: server.clock.now(), actor: 'test' },
    );
    await server.app.versions.refresh();
    expect([await bare(), await named()]).toEqual([401, []]);
  });

  it('shares transactions among concurrent small requests, and responds to each alone', async () => {
    const keyed = { email: `${fresh('key')}@example.com`, customer_id: fresh('k') };
    const other = { email: `${fresh('key')}@example.com`, customer_id: fresh('k') };
    await send({ events: [order({ event_data: { ...order().event_data, ...keyed } })] });
    await send({ events: [order({ event_data: { ...order().event_data, ...other } })] });
    const twin = order();
    const bodies: unknown[] = [
      { events: [twin, order(), { event_type: 'none', event_data: {} }] },
      order({ event_data: { ...order().event_data, email: keyed.email, customer_id: other.customer_id } }),
      { events: [order(), twin] },
      ...Array.from({ length: 29 }, () => order()),
    ];
    let responses: Awaited<ReturnType<typeof send>>[] = [];
    const statements = await recordStatements(async () => {
      responses = await Promise.all(bodies.map((body) => send(body)));
    });
    const summaries = responses.map(({ status, body }) => [status, body.accepted, body.duplicates]);
    expect(summaries[1]).toEqual([400, undefined, undefined]);
    expect([summaries[0], summaries[2]].map((summary) => summary?.[0])).toEqual([200, 200]);
    expect(Number(summaries[0]![1]) + Number(summaries[2]![1])).toBe(3);
    expect(Number(summaries[0]![2]) + Number(summaries[2]![2])).toBe(1);
    expect(summaries.slice(3)).toEqual(Array.from({ length: 29 }, () => [200, 1, 0]));
    // Do not count commits: workers have their own.
    const sets = statements.filter(({ text }) => text.includes('insert into events '));
    expect(sets.length).toBeLessThan(bodies.length / 2);
    expect(sets.length).toBeGreaterThan(0);
  });

  it('recognises an event that came by the API, and the other way round', async () => {
    const event = order();
    const first = await shop.marketing('POST', '/events', event);
    expect(first.status).toBe(201);
    expect((await send(event)).body).toMatchObject({ accepted: 0, duplicates: 1 });
    const other = order({ event_id: fresh('e') });
    await send(other);
    expect((await shop.marketing('POST', '/events', other)).body.duplicate).toBe(true);
  });

  it.each([
    ['no JSON', '{"event_type":', 'The body is not valid JSON'],
    ['no object', '[]', 'The body must be a JSON object'],
    [
      'nothing that is acceptable',
      '{"event_type":"order_placed","event_data":{}}',
      'Missing required event_data keys: order_id, email, total',
    ],
    ['no events', '{"events":[]}', 'events must be an array of 1 to 500 events'],
    ['an unknown type', '{"event_type":"nothing","event_data":{}}', 'Unknown event_type: nothing'],
  ])('responds 400 to %s', async (_what, raw, message) => {
    const response = await send(raw);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ error: 'bad_request', code: 400, message });
  });

  it('accepts the headers of Standard Webhooks, whose id becomes the id of an event without one', async () => {
    const deliver = (id: string, body: object) => {
      const raw = JSON.stringify(body);
      const headers = signDelivery(shop.webhook_secret, { id, timestamp: seconds(), body: raw });
      const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));
      return post(raw, { 'x-company-id': String(shop.company_id), ...standard });
    };
    const id = fresh('msg');
    const view = {
      event_type: 'product_viewed',
      event_data: { email: 'v@example.com', product_id: 1, product_name: 'Mug' },
    };
    expect((await deliver(id, view)).body).toMatchObject({ accepted: 1 });
    // After the time in which equal bodies are recognised as duplicates.
    server.clock.advance(3_600_000);
    expect((await deliver(id, view)).body).toMatchObject({ accepted: 0, duplicates: 1 });
    const pair = { events: [order(), order()] };
    expect((await deliver(fresh('msg'), pair)).body).toMatchObject({ accepted: 2 });
  });
});

describe('whoever does not prove to be the company', () => {
  it.each<[string, (raw: string) => Record<string, string>]>([
    ['without any signature', () => ({ 'x-company-id': String(shop.company_id) })],
    ['without a company', (raw) => ({ 'x-webhook-signature': signBody(shop.webhook_secret, raw) })],
    [
      'for a company that does not exist',
      (raw) => ({ 'x-company-id': '999999', 'x-webhook-signature': signBody(shop.webhook_secret, raw) }),
    ],
    [
      'for a company that is no number',
      (raw) => ({ 'x-company-id': '1e0', 'x-webhook-signature': signBody(shop.webhook_secret, raw) }),
    ],
    [
      'with another secret',
      (raw) => ({ 'x-company-id': String(shop.company_id), 'x-webhook-signature': signBody(newWebhookSecret(), raw) }),
    ],
    [
      'with the signature of another body',
      () => ({ 'x-company-id': String(shop.company_id), 'x-webhook-signature': signBody(shop.webhook_secret, '{}') }),
    ],
    [
      'too late',
      (raw) => ({
        'x-company-id': String(shop.company_id),
        'x-webhook-signature': signBody(shop.webhook_secret, raw, { timestamp: seconds() - 301 }),
      }),
    ],
    [
      'too early',
      (raw) => ({
        'x-company-id': String(shop.company_id),
        'x-webhook-signature': signBody(shop.webhook_secret, raw, { timestamp: seconds() + 301 }),
      }),
    ],
    [
      'with an API key in its place',
      () => ({ 'x-company-id': String(shop.company_id), authorization: `Bearer ${shop.key}` }),
    ],
  ])('gets the same 401 %s', async (_how, headersOf) => {
    const event = order();
    const raw = JSON.stringify(event);
    const response = await post(raw, headersOf(raw));
    expect(response.status).toBe(401);
    expect(response.body).toEqual({
      error: 'unauthorized',
      code: 401,
      message: 'The signature is missing or invalid, or the company is unknown',
      details: [],
    });
    expect(await stored(event.event_data.order_id)).toBe(0);
  });

  it('gets it with the secret of another company', async () => {
    const other = await server.company();
    const raw = JSON.stringify(order());
    const response = await post(raw, {
      'x-company-id': String(shop.company_id),
      'x-webhook-signature': signBody(other.webhook_secret, raw),
    });
    expect(response.status).toBe(401);
  });

  it('gets it before the body is validated, and a 429 when it continues', async () => {
    const unsigned = () => post('no JSON', { 'x-company-id': String(shop.company_id) });
    for (let i = 0; i < 30; i++) expect((await unsigned()).status).toBe(401);
    const waiting = await unsigned();
    expect(waiting.status).toBe(429);
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0);
    // Other senders with the same address are not affected.
    expect((await send(order())).status).toBe(200);
  });

  it('stores nothing by 2,000 mutations of a valid request', async () => {
    const raw = JSON.stringify(order());
    const good = signBody(shop.webhook_secret, raw, { timestamp: seconds() });
    const changes = fc.sample(
      fc.record({
        at: fc.nat(),
        to: fc.integer({ min: 33, max: 126 }),
        part: fc.constantFrom('body', 'signature', 'company'),
      }),
      { numRuns: 2_000, seed: 5 },
    );
    const replaced = (text: string, at: number, to: number) => {
      const place = at % text.length;
      return text.slice(0, place) + String.fromCharCode(to) + text.slice(place + 1);
    };
    const statuses = new Set<number>();
    for (let i = 0; i < changes.length; i += 50) {
      server.clock.advance(100);
      const responses = await Promise.all(
        changes.slice(i, i + 50).map(({ at, to, part }) => {
          const company = String(shop.company_id);
          const body = part === 'body' ? replaced(raw, at, to) : raw;
          const signature = part === 'signature' ? replaced(good, at, to) : good;
          const holder = part === 'company' ? replaced(company, at, to) : company;
          if (body === raw && signature === good && holder === company) return { status: 401 };
          return post(body, { 'x-company-id': holder, 'x-webhook-signature': signature });
        }),
      );
      for (const { status } of responses) statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual([401, 429]);
  }, 60_000);
});

describe('a company', () => {
  it('may require the timestamped form', async () => {
    const own = await server.company();
    await settle(own, { require_timestamp: true });
    await server.app.versions.refresh();
    const raw = JSON.stringify(order());
    const plain = { 'x-company-id': String(own.company_id), 'x-webhook-signature': signBody(own.webhook_secret, raw) };
    expect((await post(raw, plain)).status).toBe(401);
    expect((await send(order(), own)).status).toBe(200);
  });

  it('may have two live secrets, and a new one is valid at once', async () => {
    const own = await server.company();
    expect((await send(order(), own)).status).toBe(200);
    const second = newWebhookSecret();
    await server.rows(
      "insert into company_secrets (company_id, kind, ciphertext, created_at) values ($1, 'webhook', $2, now())",
      [own.company_id, server.app.masterKey.seal(second)],
    );
    expect((await send(order(), { ...own, webhook_secret: second })).status).toBe(200);
    expect((await send(order(), own)).status).toBe(200);
    const until = new Date(server.clock.now().getTime() + 60_000);
    await server.rows(
      'update company_secrets set expires_at = $2 where company_id = $1 and id = (select min(id) from company_secrets where company_id = $1)',
      [own.company_id, until],
    );
    await server.app.versions.refresh();
    expect((await send(order(), own)).status).toBe(200);
    server.clock.advance(60_000);
    expect((await send(order(), own)).status).toBe(401);
    expect((await send(order(), { ...own, webhook_secret: second })).status).toBe(200);
  });

  it('has a limit of its own, which its API keys do not share', async () => {
    const own = await server.company({ requestsPerHour: 1 });
    await settle(own, { requests_per_hour: 3 });
    for (let i = 0; i < 3; i++) expect((await send(order(), own)).status).toBe(200);
    const over = await send(order(), own);
    expect(over.status).toBe(429);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await own.marketing('GET', '/events')).status).toBe(200);
    server.clock.advance(3_600_000);
    expect((await send(order(), own)).status).toBe(200);
  });
});
