import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

let serial = 0;
const fresh = (prefix: string): string => `${prefix}-${++serial}`;
const order = (more: object = {}) => ({
  event_type: 'order_placed',
  event_data: { order_id: fresh('o'), email: 'ann@example.com', total: 10 },
  ...more,
});
const track = (body: object, headers?: Record<string, string>) => shop.marketing('POST', '/events', body, headers);
/** Creates a contact with this external_id and an address with the same name. */
const known = (id: string) =>
  track({
    event_type: 'order_completed',
    event_data: { order_id: fresh('o'), email: `${id}@example.com`, customer_id: id },
  });
const countOf = async (where: string, values: unknown[] = []): Promise<number> => {
  const [row] = await server.rows<{ n: string }>(`select count(*) as n from events where ${where}`, values);
  return Number(row!.n);
};

/** The keys that the specification requires for each type. */
const REQUIRED: Record<string, Record<string, unknown>> = {
  customer_created: { email: 'new@example.com', first_name: 'Ann', last_name: 'Lee' },
  order_placed: { order_id: '1001', email: 'buyer@example.com', total: 99.9 },
  order_completed: { order_id: '1001', email: 'buyer@example.com' },
  cart_abandoned: {
    email: 'buyer@example.com',
    cart_total: 20,
    items: [{ product_id: '5', name: 'Mug', price: 10, quantity: 2 }],
  },
  product_viewed: { email: 'buyer@example.com', product_id: '5', product_name: 'Mug' },
  subscription_created: { email: 'buyer@example.com', subscription_id: '7', plan: 'monthly' },
  subscription_cancelled: { email: 'buyer@example.com', subscription_id: '7' },
};

describe('POST /events', () => {
  it.each(Object.entries(REQUIRED))('accepts %s with its required keys', async (event_type, event_data) => {
    const response = await track({ event_type, event_data });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      event_id: expect.any(Number),
      event_type,
      contact_id: expect.any(Number),
      status: 'accepted',
      duplicate: false,
      flows_triggered: [],
    });
    const [row] = await server.rows<{ data: object; contact_id: string }>(
      'select data, contact_id from events where event_id = $1',
      [response.body.event_id],
    );
    expect(row).toEqual({ data: event_data, contact_id: String(response.body.contact_id) });
  });

  it.each(Object.entries(REQUIRED))('names the missing keys of %s', async (event_type, event_data) => {
    for (const key of Object.keys(event_data)) {
      const { [key]: _, ...rest } = event_data;
      const response = await track({ event_type, event_data: rest });
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ error: 'bad_request', code: 400 });
      expect(response.body.message).toBe(`Missing required event_data keys: ${key}`);
    }
    const response = await track({ event_type, event_data: {} });
    expect(response.body.message).toBe(`Missing required event_data keys: ${Object.keys(event_data).join(', ')}`);
  });

  it('counts null and blank ids as missing', async () => {
    const response = await track({ event_type: 'order_placed', event_data: { order_id: null, email: ' ', total: 1 } });
    expect(response.body.message).toBe('Missing required event_data keys: order_id, email');
  });

  it.each([
    ['total', 'abc', 'event_data.total must be a number'],
    ['total', true, 'event_data.total must be a number'],
    ['order_id', { id: 1 }, 'event_data.order_id must be a string of at most 255 characters'],
    ['order_id', 'x'.repeat(256), 'event_data.order_id must be a string of at most 255 characters'],
    ['email', 'no address', 'event_data.email must be an e-mail address'],
    ['items', 'none', 'event_data.items must be an array of objects'],
    ['items', [1], 'event_data.items.0 must be an object'],
    ['items', [{ quantity: 1.5 }], 'event_data.items.0.quantity must be an integer'],
    ['items', [{ price: 'much' }], 'event_data.items.0.price must be a number'],
  ])('refuses %s = %j', async (key, value, message) => {
    const response = await track(
      order({ event_data: { order_id: fresh('o'), email: 'a@example.com', total: 1, [key]: value } }),
    );
    expect(response.status).toBe(400);
    expect(response.body.message).toBe(message);
  });

  it('converts numeric strings to numbers, and numeric ids to strings', async () => {
    const response = await track({
      event_type: 'cart_abandoned',
      event_data: {
        email: ' ann@example.com ',
        customer_id: 42,
        cart_total: ' 12.50 ',
        items: [{ product_id: 5, name: 'Mug', price: '6.25', quantity: '2', colour: 'red' }],
        note: 7,
      },
    });
    expect(response.status).toBe(201);
    const [row] = await server.rows<{ data: object }>('select data from events where event_id = $1', [
      response.body.event_id,
    ]);
    expect(row!.data).toEqual({
      email: 'ann@example.com',
      customer_id: '42',
      cart_total: 12.5,
      items: [{ product_id: '5', name: 'Mug', price: 6.25, quantity: 2, colour: 'red' }],
      note: 7,
    });
  });

  it.each([
    [{ event_data: {} }, 'event_type is required'],
    [{ event_type: 'order_placed' }, 'event_data is required'],
    [{ event_type: 'order_placed', event_data: [] }, 'event_data must be object'],
    [{ event_type: 'order_teleported', event_data: {} }, 'Unknown event_type: order_teleported'],
    [{ event_type: 'toString', event_data: {} }, 'Unknown event_type: toString'],
  ])('refuses %j', async (body, message) => {
    const response = await track(body);
    expect(response.status).toBe(400);
    expect(response.body.message).toBe(message);
  });

  it('refuses numeric ids beyond the safe integers, whose rounding would merge two events', async () => {
    const id = 2 ** 60;
    for (const [field, body] of [
      ['event_data.order_id', order({ event_data: { ...order().event_data, order_id: id } })],
      ['event_data.customer_id', order({ event_data: { ...order().event_data, customer_id: -id } })],
      ['event_id', order({ event_id: id })],
    ] as const) {
      const response = await track(body);
      expect(response.status).toBe(400);
      expect(response.body.message).toContain(`${field} must be a string`);
    }
    expect((await track(order({ event_id: Number.MAX_SAFE_INTEGER }))).status).toBe(201);
  });

  it('refuses a body over 256 KiB', async () => {
    const response = await track(order({ event_data: { ...REQUIRED.order_placed, note: 'x'.repeat(257 * 1024) } }));
    expect(response.status).toBe(400);
    expect(response.body.message).toBe('The body is too large');
  });

  it('finds the contact by e-mail and by customer_id as external_id, or creates it', async () => {
    const email = `${fresh('c')}@example.com`;
    const customer_id = fresh('cust');
    const first = await track(order({ event_data: { order_id: fresh('o'), total: 1, email } }));
    const upserted = await track(
      order({ event_data: { order_id: fresh('o'), total: 1, email: email.toUpperCase(), customer_id } }),
    );
    const byId = await track(order({ event_data: { order_id: fresh('o'), total: 1, email, customer_id } }));
    expect(upserted.body.contact_id).toBe(first.body.contact_id);
    expect(byId.body.contact_id).toBe(first.body.contact_id);
    const [contact] = await server.rows('select email, external_id, source from contacts where id = $1', [
      first.body.contact_id,
    ]);
    expect(contact).toEqual({ email, external_id: customer_id, source: 'api' });
  });

  it('refuses an event whose keys belong to two contacts, and stores nothing', async () => {
    const [a, b] = [fresh('conflict-a'), fresh('conflict-b')];
    for (const id of [a, b]) await known(id);
    const order_id = fresh('o');
    const conflicting = { order_id, total: 1, email: `${a}@example.com`, customer_id: b };
    const refused = await track(order({ event_data: conflicting }));
    expect(refused.status).toBe(400);
    // The key was released: the corrected event is not a duplicate.
    const corrected = await track(order({ event_data: { ...conflicting, customer_id: a } }));
    expect(corrected.status).toBe(201);
    expect(await countOf("data ->> 'order_id' = $1", [order_id])).toBe(1);
  });
});

describe('occurred_at', () => {
  it.each(['2026-03-15 09:00:00', '2026-03-15T10:00:00+01:00', '2026-03-15T09:00:00.000Z'])(
    'takes %s',
    async (text) => {
      const response = await track(order({ occurred_at: text }));
      expect(response.status).toBe(201);
      const [row] = await server.rows('select occurred_at from events where event_id = $1', [response.body.event_id]);
      expect(row).toEqual({ occurred_at: new Date('2026-03-15T09:00:00.000Z') });
    },
  );

  it('is refused when malformed or more than 24 hours ahead', async () => {
    for (const [text, message] of [
      ['yesterday', 'occurred_at must be YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601'],
      ['2026-02-30 00:00:00', 'occurred_at must be YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601'],
      ['2026-03-16 12:00:01', 'occurred_at is more than 24 hours in the future'],
    ]) {
      const response = await track(order({ occurred_at: text }));
      expect(response.status).toBe(400);
      expect(response.body.message).toBe(message);
    }
    expect((await track(order({ occurred_at: '2026-03-16 12:00:00' }))).status).toBe(201);
  });
});

describe('flows', () => {
  it('are started by new events of their type, not by duplicates, events older than 24 hours, or other companies', async () => {
    const own = await server.company();
    const flow = await own.marketing('POST', '/flows', {
      name: 'Thanks',
      trigger_type: 'order_placed',
      status: 'active',
      trigger_conditions: { operator: 'and', rules: [{ field: 'total', comparison: 'greater_than', value: 100 }] },
    });
    expect(flow.status).toBe(201);
    const buyer = (total: number | string) => ({ order_id: fresh('o'), email: `${fresh('b')}@example.com`, total });
    const send = async (event: object): Promise<unknown> =>
      (await own.marketing('POST', '/events', event)).body.flows_triggered;
    const event = order({ event_data: buyer('150') });
    expect(await send(event)).toEqual([flow.body.flow_id]);
    expect(await send(event)).toEqual([]);
    expect(await send(order({ event_data: buyer(100) }))).toEqual([]);
    expect(await send(order({ event_data: buyer(150), occurred_at: '2026-03-14 12:00:00' }))).toEqual([
      flow.body.flow_id,
    ]);
    expect(await send(order({ event_data: buyer(150), occurred_at: '2026-03-14 11:59:59' }))).toEqual([]);
    expect((await track(order({ event_data: buyer(150) }))).body.flows_triggered).toEqual([]);
    const runs = await server.rows('select 1 from flow_runs where company_id = $1', [own.company_id]);
    expect(runs).toHaveLength(2);
  });
});

describe('duplicates', () => {
  const expectDuplicate = async (first: object, second: object) => {
    const one = await track(first);
    const two = await track(second);
    expect([one.status, two.status]).toEqual([201, 200]);
    expect(two.body).toEqual({ ...one.body, duplicate: true, flows_triggered: [] });
  };
  const expectDistinct = async (first: object, second: object) => {
    const one = await track(first);
    const two = await track(second);
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(two.body.event_id).not.toBe(one.body.event_id);
  };

  it("are recognised by the sender's event_id for 7 days, whatever the other fields", async () => {
    const event_id = fresh('e');
    await expectDuplicate(order({ event_id }), order({ event_id }));
    await expectDuplicate(order({ event_id: 123_456 }), order({ event_id: '123456' }));
    const start = server.clock.now();
    try {
      server.clock.advance(7 * 86_400_000 - 1);
      expect((await track(order({ event_id }))).body.duplicate).toBe(true);
      server.clock.advance(1);
      expect((await track(order({ event_id }))).body.duplicate).toBe(false);
    } finally {
      server.clock.set(start);
    }
  });

  it.each([
    ['order_placed', 'order_id'],
    ['order_completed', 'order_id'],
    ['subscription_created', 'subscription_id'],
    ['subscription_cancelled', 'subscription_id'],
  ])('of %s are recognised by %s for 24 hours', async (event_type, key) => {
    const event = (more: object = {}) => ({ event_type, event_data: { ...REQUIRED[event_type], [key]: id, ...more } });
    const id = fresh('natural');
    await expectDuplicate(event(), event({ email: 'other@example.com', note: 1 }));
    const start = server.clock.now();
    try {
      server.clock.advance(86_400_000);
      expect((await track(event())).status).toBe(201);
    } finally {
      server.clock.set(start);
    }
  });

  it('of customer_created are recognised by the e-mail in any case, and in either form of its domain', async () => {
    const event = (email: string) => ({
      event_type: 'customer_created',
      event_data: { ...REQUIRED.customer_created, email },
    });
    await expectDuplicate(event('Twin@Example.com'), event('twin@example.com'));
    await expectDuplicate(event('twin@MÜNCHEN.example'), event('twin@xn--mnchen-3ya.example'));
  });

  it('of cart_abandoned, product_viewed and registered types are equal bodies within 60 seconds', async () => {
    const view = (more: object = {}) => ({
      event_type: 'product_viewed',
      event_data: { email: 'v@example.com', product_id: id, product_name: 'Mug', ...more },
    });
    const id = fresh('p');
    await expectDuplicate(view({ a: 1, b: { c: 1, d: 2 } }), view({ b: { d: 2, c: 1 }, a: 1 }));
    await expectDistinct(view({ x: 1 }), view({ x: 2 }));
    const start = server.clock.now();
    try {
      server.clock.advance(60_000);
      expect((await track(view({ x: 1 }))).status).toBe(201);
    } finally {
      server.clock.set(start);
    }
    const cart = () => ({ event_type: 'cart_abandoned', event_data: REQUIRED.cart_abandoned });
    await track(cart());
    expect((await track(cart())).body.duplicate).toBe(true);
  });

  it('are separate for each type and each company', async () => {
    const order_id = fresh('o');
    await expectDistinct(
      { event_type: 'order_placed', event_data: { order_id, email: 'a@example.com', total: 1 } },
      { event_type: 'order_completed', event_data: { order_id, email: 'a@example.com' } },
    );
    const other = await server.company();
    const again = await other.marketing('POST', '/events', {
      event_type: 'order_placed',
      event_data: { order_id, email: 'a@example.com', total: 1 },
    });
    expect(again.status).toBe(201);
  });

  it('do not change the contact', async () => {
    const event_id = fresh('e');
    const data = (first_name: string) => ({ order_id: fresh('o'), email: 'still@example.com', total: 1, first_name });
    const first = await track(order({ event_id, event_data: data('Ann') }));
    await track(order({ event_id, event_data: data('Eve') }));
    const [contact] = await server.rows('select first_name from contacts where id = $1', [first.body.contact_id]);
    expect(contact).toEqual({ first_name: 'Ann' });
  });

  it('that many callers send at once store one event', async () => {
    const event = order();
    const responses = await Promise.all(Array.from({ length: 50 }, () => track(event)));
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.status === 200)).toHaveLength(49);
    expect(new Set(responses.map((response) => response.body.event_id)).size).toBe(1);
    expect(await countOf("data ->> 'order_id' = $1", [event.event_data.order_id])).toBe(1);
  });

  it('that two processes receive at once store one event each', async () => {
    // Neither process has seen an event of the company.
    const shop = await server.company();
    const { config } = server.app;
    const second = await createApp({ config, clock: server.clock, connection: server.connection, logTo: server.logTo });
    const origin = await second.server.listen({ host: '127.0.0.1', port: 0 });
    try {
      const events = Array.from({ length: 40 }, () => order());
      const send = async (base: string, body: object) => {
        const response = await fetch(`${base}/marketing/v1/events`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${shop.key}`,
            'x-company-id': String(shop.company_id),
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        });
        return { status: response.status, body: (await response.json()) as { event_id: number } };
      };
      const pairs = await Promise.all(
        events.map((event, i) => {
          const [one, two] = i % 2 === 0 ? [server.origin, origin] : [origin, server.origin];
          return Promise.all([send(one, event), send(two, event)]);
        }),
      );
      for (const [one, two] of pairs) {
        expect([one.status, two.status].toSorted()).toEqual([200, 201]);
        expect(one.body.event_id).toBe(two.body.event_id);
      }
      const ids = events.map((event) => event.event_data.order_id);
      expect(await countOf("data ->> 'order_id' = any($1)", [ids])).toBe(40);
    } finally {
      await second.stop();
    }
  });
});

describe('Idempotency-Key', () => {
  it('replays the first response, also within one batch', async () => {
    const headers = { 'idempotency-key': fresh('k') };
    const body = order();
    const responses = await Promise.all(Array.from({ length: 10 }, () => track(body, headers)));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([201]));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    const other = await track(order(), headers);
    expect(other.status).toBe(400);
    expect(await countOf("data ->> 'order_id' = $1", [body.event_data.order_id])).toBe(1);
  });

  it('replays a refusal', async () => {
    const headers = { 'idempotency-key': fresh('k') };
    const body = { event_type: 'order_placed', event_data: {} };
    const first = await track(body, headers);
    const second = await track(body, headers);
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('POST /events/batch', () => {
  it('settles each event alone; the first of two equal ones wins', async () => {
    const twin = order();
    const response = await shop.marketing('POST', '/events/batch', {
      events: [twin, { event_type: 'order_placed', event_data: { email: 'x@example.com' } }, twin, 5, order()],
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ accepted: 2, duplicates: 1 });
    expect(response.body.rejected).toEqual([
      { index: 1, message: 'Missing required event_data keys: order_id, total' },
      { index: 3, message: 'body must be object' },
    ]);
    const [first, second, third] = response.body.events as unknown as {
      index: number;
      event_id: number;
      duplicate: boolean;
    }[];
    expect([first!.index, second!.index, third!.index]).toEqual([0, 2, 4]);
    expect([first!.duplicate, second!.duplicate]).toEqual([false, true]);
    expect(second!.event_id).toBe(first!.event_id);
    expect(third!.event_id).toBeGreaterThan(first!.event_id);
  });

  it('stores an event behind a refused equal one', async () => {
    const [a, b] = [fresh('chance-a'), fresh('chance-b')];
    for (const id of [a, b]) await known(id);
    const event = (customer_id: string) =>
      order({
        event_id: `chance-${a}`,
        event_data: { order_id: '1', total: 1, email: `${a}@example.com`, customer_id },
      });
    const response = await shop.marketing('POST', '/events/batch', { events: [event(b), event(a), event(a)] });
    expect(response.body).toMatchObject({ accepted: 1, duplicates: 1, rejected: [{ index: 0 }] });
  });

  it('accepts 1 to 500 events', async () => {
    const events = Array.from({ length: 500 }, () => order());
    const full = await shop.marketing('POST', '/events/batch', { events });
    expect(full.body).toMatchObject({ accepted: 500, rejected: [] });
    const ids = (full.body.events as unknown as { event_id: number }[]).map((outcome) => outcome.event_id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const wrong of [[], [...events, order()]]) {
      expect((await shop.marketing('POST', '/events/batch', { events: wrong })).status).toBe(400);
    }
  });

  it('replays its response for its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': fresh('k') };
    const body = { events: [order(), order()] };
    const first = await shop.marketing('POST', '/events/batch', body, headers);
    const second = await shop.marketing('POST', '/events/batch', body, headers);
    expect(second.body).toEqual(first.body);
    expect(first.body.accepted).toBe(2);
  });
});

describe('GET /events', () => {
  it('pages by cursor through the filtered events, the last received first', async () => {
    const own = await server.company();
    const sent: number[] = [];
    for (let i = 0; i < 7; i++) {
      const event_type = i % 2 === 0 ? 'order_completed' : 'order_placed';
      const occurred_at = `2026-03-1${i} 00:00:00`;
      const event_data = { order_id: `${i}`, email: i < 4 ? 'a@example.com' : 'b@example.com', total: i };
      const response = await own.marketing('POST', '/events', { event_type, occurred_at, event_data });
      sent.push(response.body.event_id);
    }
    const ids = async (query: string): Promise<number[]> => {
      const { body } = await own.marketing('GET', `/events${query}`);
      return (body.events as unknown as { event_id: number }[]).map((event) => event.event_id);
    };
    const newest = sent.toReversed();
    expect(await ids('')).toEqual(newest);
    const page = await own.marketing('GET', '/events?per_page=3');
    expect(page.body.pagination).toEqual({ per_page: 3, next_cursor: String(newest[2]) });
    expect(await ids(`?per_page=3&cursor=${newest[2]}`)).toEqual(newest.slice(3, 6));
    const last = await own.marketing('GET', `/events?per_page=3&cursor=${newest[5]}`);
    expect(last.body.pagination).toEqual({ per_page: 3, next_cursor: null });
    expect(await ids('?event_type=order_placed')).toEqual([sent[5], sent[3], sent[1]]);
    expect(await ids('?from=2026-03-12%2000:00:00&to=2026-03-14')).toEqual([sent[3], sent[2]]);
    const contact = (await own.marketing('GET', '/events')).body.events[0]!.contact_id;
    expect(await ids(`?contact_id=${contact}`)).toEqual([sent[6], sent[5], sent[4]]);
    expect((await own.marketing('GET', '/events')).body.events[6]).toEqual({
      event_id: sent[0],
      event_type: 'order_completed',
      contact_id: expect.any(Number),
      event_data: { order_id: '0', email: 'a@example.com', total: 0 },
      occurred_at: '2026-03-10 00:00:00',
      received_at: '2026-03-15 12:00:00',
      source: 'api',
      external_event_id: null,
    });
    for (const wrong of ['?from=x', '?cursor=x', '?contact_id=x', '?per_page=0']) {
      expect((await own.marketing('GET', `/events${wrong}`)).status).toBe(400);
    }
    expect((await shop.marketing('GET', `/events?contact_id=${contact}`)).body.events).toEqual([]);
  });
});

describe('event types', () => {
  const registered = { event_type: 'review_written', required_keys: ['email', 'stars'] };

  it('may be registered, are accepted at once, and refused once they are removed', async () => {
    const event = { event_type: 'review_written', event_data: { email: 'r@example.com', stars: 5 } };
    expect((await track(event)).status).toBe(400);
    const made = await shop.marketing('POST', '/event-types', registered);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ ...registered, built_in: false });
    expect((await track(event)).status).toBe(201);
    const lacking = await track({ event_type: 'review_written', event_data: { email: 'r@example.com' } });
    expect(lacking.body.message).toBe('Missing required event_data keys: stars');
    expect((await shop.marketing('POST', '/event-types', { ...registered, required_keys: [] })).status).toBe(200);
    const { body } = await shop.marketing('GET', '/event-types');
    expect(body.event_types).toHaveLength(8);
    expect(body.event_types[7]).toEqual({ ...registered, required_keys: [], built_in: false });
    const removed = await shop.marketing('DELETE', '/event-types/review_written');
    expect(removed.body).toEqual({ event_type: 'review_written', deleted: true });
    expect((await track(event)).status).toBe(400);
    expect((await shop.marketing('DELETE', '/event-types/review_written')).status).toBe(404);
  });

  it('that are built in cannot be changed; names are lower-case words', async () => {
    expect((await shop.marketing('POST', '/event-types', { event_type: 'order_placed' })).status).toBe(400);
    expect((await shop.marketing('DELETE', '/event-types/order_placed')).status).toBe(400);
    expect((await shop.marketing('POST', '/event-types', { event_type: 'Order Placed' })).status).toBe(400);
  });

  it('of another company are unknown', async () => {
    const other = await server.company();
    await other.marketing('POST', '/event-types', registered);
    const response = await track({ event_type: 'review_written', event_data: { email: 'r@example.com', stars: 1 } });
    expect(response.status).toBe(400);
  });

  it('may have names that objects have members of', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'constructor' });
    const event_data = { email: 'member@example.com', order_id: 'o1', net_amount: 5 };
    const { status } = await shop.marketing('POST', '/events', { event_type: 'constructor', event_data });
    expect(status).toBe(201);
  });

  it('without any key of a contact cannot be stored', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'pinged' });
    const response = await track({ event_type: 'pinged', event_data: { a: 1 } });
    expect(response.body.message).toBe('event_data must hold email, customer_id or phone');
    expect((await track({ event_type: 'pinged', event_data: { customer_id: 9 } })).status).toBe(201);
  });
});
