import { createSecretKey } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createMessageValues } from '../../message-values.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { allSlices } from '../../work/slices.ts';
import { raiseAbandoned } from './abandoned.ts';
import { recoveredCart, recoverUrl } from './recovery.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const MINUTE = 60_000;
/** `ABANDONED_CARTS=100000` for the figures of docs/design/carts.md. */
const CARTS = Number(process.env.ABANDONED_CARTS ?? 450);
let shop: TestCompany;
let tea: number;
let mug: number;

beforeAll(async () => {
  shop = await server.company();
  tea = await product('Tea', 10);
  mug = await product('Mug', 7.5);
});

const made = async (path: string, body: object) => {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
};
const product = async (name: string, price: number) =>
  (await made('/products', { name, price, stock_qty: 1000, sku: name.toUpperCase() })).id;
const cartOf = (body: object = {}) => made('/carts', { lines: [{ product_id: tea, qty: 2 }], ...body });
const patch = (id: number, body: object) => shop.commerce('PATCH', `/carts/${id}`, body);
const customer = async (body: object) => (await made('/customers', body)).id as number;
let people = 0;
const anEmail = () => `cart${++people}@example.com`;

const raise = () => allSlices(raiseAbandoned(server.app));
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function carry(): Promise<void> {
  while ((await worker('outbox').runOnce()) > 0);
}
/** The events of a cart in the outbox. */
const eventsOf = (id: number, topic: string) =>
  server.rows<{ payload: Record<string, unknown> }>(
    "select payload from outbox where company_id = $1 and topic = $2 and payload ->> 'cart_id' = $3 order by id",
    [shop.company_id, topic, String(id)],
  );
async function contactOf(email: string) {
  const [row] = await server.rows<{ id: string }>('select id from contacts where email = $1', [email]);
  return (await shop.marketing('GET', `/contacts/${row!.id}`)).body;
}

describe('checkout_started', () => {
  test('is raised once, when a cart with lines gets an address', async () => {
    const { id } = await cartOf({ accepts_marketing: true });
    expect(await eventsOf(id, 'checkout_started')).toEqual([]);
    const email = anEmail();
    const { body } = await patch(id, { email, first_name: 'Bob' });
    // The mark is no change of the cart.
    expect(body.data.revision).toBe(2);
    const [event, ...more] = await eventsOf(id, 'checkout_started');
    expect(more).toEqual([]);
    expect(event!.payload).toEqual({
      email,
      first_name: 'Bob',
      last_name: '',
      accepts_marketing: true,
      cart_id: String(id),
      cart_total: 20,
      currency: 'USD',
      items: [
        {
          product_id: String(tea),
          name: 'Tea',
          price: 10,
          quantity: 2,
          parent_id: null,
          sku: 'TEA',
          variant_title: null,
          image: null,
        },
      ],
    });
    await patch(id, { email: null });
    expect((await patch(id, { email })).body.data.revision).toBe(4);
    expect(await eventsOf(id, 'checkout_started')).toHaveLength(1);
  });

  test('is raised for a customer, and for an address that comes before the lines', async () => {
    const id = await customer({ email: anEmail(), first_name: 'Ada' });
    const cart = await cartOf({ customer_id: id, email: 'other@example.com' });
    const [event] = await eventsOf(cart.id, 'checkout_started');
    expect(event!.payload).toMatchObject({ customer_id: String(id), first_name: 'Ada', accepts_marketing: null });
    expect(event!.payload.email).not.toBe('other@example.com');
    const early = await cartOf({ lines: [], email: anEmail() });
    expect(await eventsOf(early.id, 'checkout_started')).toEqual([]);
    await shop.commerce('POST', `/carts/${early.id}/lines`, { lines: [{ product_id: mug, qty: 1 }] });
    expect(await eventsOf(early.id, 'checkout_started')).toHaveLength(1);
  });

  test('makes a contact without consent, whatever the company has chosen, and changes no known one', async () => {
    const [unknown, known] = [anEmail(), anEmail()];
    await shop.marketing('POST', '/contacts', { email: known, first_name: 'Ada' });
    for (const email of [unknown, known]) await cartOf({ email, first_name: 'Mallory', accepts_marketing: true });
    await carry();
    const [created, kept] = [await contactOf(unknown), await contactOf(known)];
    expect(created.consent.email).toMatchObject({ state: 'never', source: 'event' });
    expect([kept.first_name, kept.consent.email.state]).toEqual(['Ada', 'subscribed']);
    const event_data = { email: anEmail(), cart_total: 3, items: [] };
    const sent = await shop.marketing('POST', '/events', { event_type: 'cart_abandoned', event_data });
    expect(sent.status).toBe(201);
    expect((await contactOf(event_data.email)).consent.email.state).toBe('subscribed');
  });
});

describe('cart_abandoned', () => {
  test('is raised once each time that a cart is left', async () => {
    await shop.commerce('PATCH', '/checkout-settings', { store_url: 'https://shop.example/store' });
    const email = anEmail();
    const { id } = await cartOf({ email });
    const abandoned = () => eventsOf(id, 'cart_abandoned');
    server.clock.advance(59 * MINUTE);
    await raise();
    expect(await abandoned()).toEqual([]);
    server.clock.advance(MINUTE);
    await raise();
    await raise();
    const [event, ...more] = await abandoned();
    expect(more).toEqual([]);
    expect(event!.payload).toMatchObject({ email, cart_total: 20, currency: 'USD', items: [{ name: 'Tea' }] });
    expect(event!.payload.recover_url).toMatch(/^https:\/\/shop\.example\/store\?recover=[\w-]{55}$/);
    server.clock.advance(600 * MINUTE);
    await raise();
    expect(await abandoned()).toHaveLength(1);
    const { body } = await patch(id, { phone: '+1 555 0100' });
    expect(body.data.revision).toBe(2);
    server.clock.advance(60 * MINUTE);
    await raise();
    expect(await abandoned()).toHaveLength(2);
  });

  test('follows the time of the company, and has no link without a storefront', async () => {
    await shop.commerce('PATCH', '/checkout-settings', { store_url: null, abandoned_after_minutes: 90 });
    const { id } = await cartOf({ email: anEmail() });
    server.clock.advance(89 * MINUTE);
    await raise();
    expect(await eventsOf(id, 'cart_abandoned')).toEqual([]);
    server.clock.advance(2 * MINUTE);
    await raise();
    expect((await eventsOf(id, 'cart_abandoned'))[0]!.payload.recover_url).toBeNull();
    await shop.commerce('PATCH', '/checkout-settings', { abandoned_after_minutes: 60 });
  });

  test('is not raised of a cart without buyer or lines, placed, canceled, begun by staff, or whose products are not sold', async () => {
    const [email, gone] = [anEmail(), await product('Gone', 1)];
    const carts = [
      await cartOf(),
      await cartOf({ email, lines: [] }),
      await cartOf({ email, ...ADDRESS }),
      await cartOf({ email }),
      await cartOf({ email }),
      await cartOf({ email: anEmail(), lines: [{ product_id: gone, qty: 1 }] }),
    ];
    await shop.commerce('POST', `/carts/${carts[2].id}/place`);
    await shop.commerce('DELETE', `/carts/${carts[3].id}`);
    await server.rows("update carts set origin = 'staff' where id = $1", [carts[4].id]);
    await shop.commerce('PATCH', `/products/${gone}`, { archived: true });
    server.clock.advance(61 * MINUTE);
    await raise();
    for (const { id } of carts) expect(await eventsOf(id, 'cart_abandoned')).toEqual([]);
  });

  test.each(['customer', 'guest'])('is not raised if the buyer, a %s, has ordered since', async (kind) => {
    const email = anEmail();
    const customerId = await customer({ email });
    const buyer = kind === 'customer' ? { customer_id: customerId } : { email };
    const left = await cartOf(buyer);
    server.clock.advance(MINUTE);
    const order = { customer_id: customerId, items: [{ product_id: mug, qty: 1 }], ...ADDRESS };
    await made('/orders', order);
    server.clock.advance(MINUTE);
    const later = await cartOf(buyer);
    server.clock.advance(60 * MINUTE);
    await raise();
    expect(await eventsOf(left.id, 'cart_abandoned')).toEqual([]);
    expect(await eventsOf(later.id, 'cart_abandoned')).toHaveLength(1);
  });

  test('is raised once for each cart by several processes', async () => {
    const { company_id, commerce } = await server.company();
    const { body } = await commerce('POST', '/products', { name: 'Tea', price: 10, stock_qty: 9 });
    const line = { id: 1, product_id: body.data.id, qty: 1, added_price: 1000, price_override: null };
    await server.rows(
      `insert into carts (company_id, origin, email, lines, last_line_id, created_at, updated_at)
       select $1, 'store', format('many%s@example.com', n), $2, 1, $3, $3 from generate_series(1, $4) n`,
      [company_id, JSON.stringify([line]), server.clock.now(), CARTS],
    );
    server.clock.advance(61 * MINUTE);
    await Promise.all([raise(), raise(), raise(), raise()]);
    const raised = `select count(*)::int as events, count(distinct payload ->> 'cart_id')::int as carts from outbox
      where company_id = $1 and topic = 'cart_abandoned'`;
    expect(await server.rows(raised, [company_id])).toEqual([{ events: CARTS, carts: CARTS }]);
  });

  test('leaves its index alone while a cart changes within a quarter of an hour', async () => {
    // A quarter begins, so that all changes fall into it.
    server.clock.advance(15 * MINUTE - (server.clock.now().getTime() % (15 * MINUTE)));
    const { id } = await cartOf({ email: anEmail() });
    const touched = () => server.rows<{ touched: Date }>('select touched from carts where id = $1', [id]);
    const [before] = await touched();
    server.clock.advance(14 * MINUTE);
    await patch(id, { note: 'Please wrap it' });
    expect(await touched()).toEqual([before]);
    const update = `update carts set note = 'No', updated_at = updated_at + interval '1 second' where id = ${Number(id)}`;
    const heapOnly = `do $$ begin ${update}; raise 'heap only: %', pg_stat_get_xact_tuples_hot_updated('carts'::regclass); end $$`;
    await expect(server.rows(heapOnly)).rejects.toThrow('heap only: 1');
    server.clock.advance(MINUTE);
    await patch(id, { note: null });
    expect((await touched())[0]!.touched.getTime() - before!.touched.getTime()).toBe(15 * MINUTE);
  });
});

describe('the link of an abandoned cart', () => {
  test('gives lines and code, and nothing of the buyer, to the shop that made it', async () => {
    const key = server.app.messaging.tokenKey;
    await made('/promo-codes', { code: 'TEN', type: 'percent', value: 10, scope: 'order' });
    const { id } = await cartOf({ email: anEmail(), promo_code: 'TEN' });
    await shop.commerce('PATCH', '/checkout-settings', { store_url: 'https://shop.example' });
    const url = new URL(recoverUrl(key, await server.app.shops.get(shop.company_id), id)!);
    const token = url.searchParams.get('recover')!;
    const db = server.app.db.points(shop.company_id);
    const recovered = { lines: [{ product_id: tea, qty: 2 }], promo_code: 'TEN' };
    expect(await recoveredCart(db, key, shop.company_id, token)).toEqual(recovered);
    const other = await server.company();
    const forged = createSecretKey(Buffer.alloc(32, 1));
    for (const attempt of [
      recoveredCart(db, key, other.company_id, token),
      recoveredCart(db, forged, shop.company_id, token),
      recoveredCart(db, key, shop.company_id, 'x'),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('`cart` in messages', () => {
  const shown = async (email: string) => {
    const { contact_id } = await contactOf(email);
    const load = createMessageValues({ shops: server.app.shops, tokenKey: server.app.messaging.tokenKey }).cart;
    const asked = { now: server.clock.now(), categories: [] };
    return (await load(server.app.db, shop.company_id, [contact_id], asked)).get(contact_id);
  };

  test('is the newest open cart of the shop, otherwise the one that events describe', async () => {
    const email = anEmail();
    const event_data = { email, cart_total: 3, items: [{ name: 'Elsewhere' }] };
    await shop.marketing('POST', '/events', { event_type: 'cart_abandoned', event_data });
    expect(await shown(email)).toMatchObject({ total: 3, items: [{ name: 'Elsewhere' }], recover_url: null });
    const { id } = await cartOf({ email });
    const recover_url = expect.stringContaining('?recover=');
    expect(await shown(email)).toMatchObject({ total: 20, items: [{ name: 'Tea', qty: 2, price: 10 }], recover_url });
    await customer({ email });
    await carry();
    expect(await shown(email)).toMatchObject({ total: 20 });
    await shop.commerce('DELETE', `/carts/${id}`);
    expect(await shown(email)).toMatchObject({ total: 3 });
  });
});

describe('accepts_marketing', () => {
  const place = (id: number) => shop.commerce('POST', `/carts/${id}/place`);
  const confirmations = (email: string) =>
    server.rows<{ body: string }>(
      "select l.* from ledger l join contacts c on c.company_id = l.company_id and c.id = l.contact_id where c.email = $1 and l.idem_key like 't:consent:%'",
      [email],
    );

  test('of a customer changes the consent with the order, not before', async () => {
    const email = anEmail();
    const id = await customer({ email });
    await carry();
    const cart = await cartOf({ customer_id: id, accepts_marketing: true, ...ADDRESS });
    expect((await contactOf(email)).consent.email.state).toBe('never');
    expect((await place(cart.id)).status).toBe(200);
    expect((await contactOf(email)).consent.email).toMatchObject({ state: 'subscribed', source: 'shop' });
    const refusing = await cartOf({ customer_id: id, accepts_marketing: false, ...ADDRESS });
    await place(refusing.id);
    expect((await contactOf(email)).consent.email.state).toBe('never');
    expect((await shop.commerce('GET', `/customers/${id}`)).body.data.accepts_marketing).toBe(false);
    const silent = await cartOf({ customer_id: id, accepts_marketing: null, ...ADDRESS });
    await place(silent.id);
    await carry();
    expect((await contactOf(email)).consent.email.state).toBe('never');
    expect(await confirmations(email)).toEqual([]);
  });

  test('waits for the order of a cart that is paid first', async () => {
    const email = anEmail();
    const id = await customer({ email });
    const method = { provider: 'manual', kind: 'bank_transfer', name: 'Bank transfer' };
    const { id: method_id } = await made('/payment-methods', method);
    const accepts = async () => (await shop.commerce('GET', `/customers/${id}`)).body.data.accepts_marketing;
    const pay = async (body: object) => {
      const cart = await cartOf({ customer_id: id, ...ADDRESS, ...body });
      const paid = await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id });
      return [cart.id, paid.body.data.status];
    };
    const [cartId, status] = await pay({ accepts_marketing: true });
    expect([status, await accepts()]).toEqual(['action_required', false]);
    await place(cartId);
    expect(await accepts()).toBe(true);
    // Nothing is to be paid, so the order is placed at once.
    const free = await product('Sample', 0);
    const lines = [{ product_id: free, qty: 1 }];
    expect((await pay({ lines, accepts_marketing: false }))[1]).toBe('placed');
    expect(await accepts()).toBe(false);
  });

  test('of a guest asks the owner of the address, once a day', async () => {
    const [email, other] = [anEmail(), anEmail()];
    for (const [address, accepts_marketing] of [
      [email, true],
      [email, true],
      [other, false],
    ] as const) {
      const cart = await cartOf({ email: address, accepts_marketing, ...ADDRESS });
      expect((await place(cart.id)).status).toBe(200);
    }
    await carry();
    expect((await contactOf(email)).consent.email.state).toBe('never');
    expect(await confirmations(email)).toHaveLength(1);
    expect(await confirmations(other)).toEqual([]);
    while ((await worker('sender').runOnce()) > 0);
    const mails = await server.rows<{ html: string }>('select * from mailbox_messages where recipient = $1', [email]);
    const link = /\/u\/confirm\/[\w-]+/.exec(
      JSON.stringify(mails.filter((mail) => /u\/confirm/.test(JSON.stringify(mail)))),
    )![0];
    const page = await server.request('GET', link);
    expect(page.status).toBe(200);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await server.request('POST', link, { raw: '', headers })).body).toContain('Thank you');
    expect((await contactOf(email)).consent.email).toMatchObject({ state: 'subscribed', source: 'double_opt_in' });
    server.clock.advance(1_000);
    const { contact_id } = await contactOf(email);
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`);
    await server.request('POST', link, { raw: '', headers });
    expect((await contactOf(email)).consent.email.state).toBe('unsubscribed');
  });
});
