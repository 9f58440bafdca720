import { beforeAll, describe, expect, test } from 'vitest';
import { createRecommendations } from '../../commerce/recommendations/worker.ts';
import { track } from '../../marketing/flows/testing/flows.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { UNFINISHED } from '../../work/slices.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { contactOf } from '../testing/sending.ts';

const server = testServer();
const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'LA',
  shipping_state: 'CA',
  shipping_zip: '90010',
  shipping_country: 'US',
};
let shop: TestCompany;
let product: number;
let made = 0;

const runOf = async (...names: string[]) => {
  for (const name of names) {
    const worker = server.app.workers.find((one) => one.name === name)!;
    while ((await worker.runOnce()) > 0);
  }
};

/** Creates a product of a shop. */
async function productOf(company: TestCompany): Promise<number> {
  const input = { name: 'Coffee & Co', price: 12.5, stock_qty: 1000, subscription_enabled: true };
  return Number((await company.commerce('POST', '/products', input)).body.data!.id);
}

/** Creates a customer; returns its id and the id of its contact. */
async function customerOf(company = shop): Promise<{ customer: number; contact: number }> {
  const email = `c${++made}@example.com`;
  const { body } = await company.commerce('POST', '/customers', { email, accepts_marketing: true });
  await runOf('outbox');
  const [row] = await server.rows<{ id: string }>(
    'select id from contacts where company_id = $1 and external_id = $2',
    [company.company_id, String(body.data!.id)],
  );
  return { customer: Number(body.data!.id), contact: Number(row!.id) };
}

async function campaignOf(contacts: number[], content: string, company = shop): Promise<number> {
  const { body: list } = await company.marketing('POST', '/lists', { name: `List ${++made}` });
  await company.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const { status, body } = await company.marketing('POST', '/campaigns', {
    name: 'C',
    type: 'email',
    subject: 'Hi',
    content,
    list_id: list.list_id,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.campaign_id as number;
}

async function mailTo(contact: number, company = shop): Promise<string> {
  const { body } = await company.marketing('GET', `/contacts/${contact}`);
  const { body: mail } = await company.marketing('GET', `/mailbox/latest?to=${encodeURIComponent(body.email)}`);
  return mail.html as string;
}

async function send(contacts: number[], content: string): Promise<string[]> {
  const { status, body } = await shop.marketing('POST', `/campaigns/send/${await campaignOf(contacts, content)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  await runOf('campaigns', 'sender');
  return Promise.all(contacts.map((contact) => mailTo(contact)));
}

beforeAll(async () => {
  shop = await server.company();
  product = await productOf(shop);
});

const LOYALTY = '<p>{% if loyalty %}[{{ loyalty.points }} points, {{ loyalty.value }}]{% else %}[none]{% endif %}</p>';
const SUBSCRIPTION =
  '<p>{% if subscription %}[{{ subscription.next_order_at | date: "%d.%m.%Y" }} {{ subscription.product_name }} {{ subscription.quantity }} {% for i in subscription.items %}{{ i.name }} {{ i.qty }} x {{ i.price }}{% endfor %} {{ subscription.frequency }}]{% else %}[none]{% endif %}</p>';

const CUSTOMER = '<p>[{{ customer.custom.tier | default: "none" }} {{ customer.custom.hobbies | join: "+" }}]</p>';

describe('customer', () => {
  test("has the customer's custom fields; empty for other contacts", async () => {
    for (const field of [
      { key: 'tier', name: 'Tier', type: 'text' },
      { key: 'hobbies', name: 'Hobbies', type: 'text', list: true },
    ]) {
      expect((await shop.commerce('POST', '/custom-fields', { on: 'customer', ...field })).status).toBe(201);
    }
    const [one, other, stranger] = [await customerOf(), await customerOf(), await contactOf(server, shop)];
    const custom = { tier: 'Gold & more', hobbies: ['tea', 'chess'] };
    expect((await shop.commerce('PATCH', `/customers/${one.customer}`, { custom })).status).toBe(200);
    const mails = await send([one.contact, other.contact, stranger], CUSTOMER);
    expect(mails[0]).toContain('[Gold &amp; more tea+chess]');
    expect(mails[1]).toContain('[none ]');
    expect(mails[2]).toContain('[none ]');
    const { variables } = (await shop.marketing('GET', '/templates/variables')).body;
    expect(variables).toEqual(expect.arrayContaining(['customer.custom.tier', 'customer.custom.hobbies']));
    const content = '{{ customer.custom.tier }} {{ customer.custom.hobies }}';
    const { findings } = (await shop.marketing('POST', '/templates/preview', { content, subject: 'Hi' })).body;
    const unknown = findings.filter(({ code }: { code: string }) => code === 'unknown_variable');
    expect(unknown).toMatchObject([{ detail: 'customer.custom.hobies', suggestion: 'customer.custom.hobbies' }]);
  });
});

describe('loyalty', () => {
  test("has the customer's points and their value; empty for other contacts", async () => {
    const [one, other] = [await customerOf(), await customerOf()];
    const stranger = await contactOf(server, shop);
    await shop.commerce('POST', `/customers/${one.customer}/loyalty/adjust`, { points: 1234 });
    const mails = await send([one.contact, other.contact, stranger], LOYALTY);
    expect(mails[0]).toContain('[1234 points, 12.34]');
    expect(mails[1]).toContain('[0 points, 0]');
    expect(mails[2]).toContain('[none]');
  });

  test('is empty while the program is disabled', async () => {
    const { contact } = await customerOf();
    await shop.commerce('PATCH', '/loyalty/settings', { enabled: false });
    expect((await send([contact], LOYALTY))[0]).toContain('[none]');
    await shop.commerce('PATCH', '/loyalty/settings', { enabled: true });
  });

  test('is never that of another company, whose customer has the same id', async () => {
    const { contact, customer } = await customerOf();
    const other = await server.company();
    const id = 'select external_id from contacts where company_id = $1 and external_id = $2';
    await server.rows(
      `insert into customers (company_id, id, email, search, created_at, updated_at) overriding system value
       values ($1, $2, 'x@example.com', '', now(), now())`,
      [other.company_id, customer],
    );
    await server.rows('insert into customer_accounts (company_id, customer_id, points_balance) values ($1, $2, 777)', [
      other.company_id,
      customer,
    ]);
    expect(await server.rows(id, [shop.company_id, String(customer)])).toHaveLength(1);
    expect((await send([contact], LOYALTY))[0]).toContain('[0 points, 0]');
  });
});

describe('subscription', () => {
  const subscribe = async (customer: number, fields: object = {}) => {
    const input = { customer_id: customer, product_id: product, frequency_id: 3, ...ADDRESS, ...fields };
    const { status, body } = await shop.commerce('POST', '/subscriptions', input);
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data!;
  };

  test('is the active one that is renewed next, or empty', async () => {
    const [one, none, paused] = [await customerOf(), await customerOf(), await customerOf()];
    const inDays = (days: number) =>
      new Date(server.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
    await subscribe(one.customer, { start_date: inDays(20) });
    await subscribe(one.customer, { start_date: inDays(10), quantity: 2 });
    const first = await subscribe(one.customer, { start_date: inDays(5) });
    const halted = await subscribe(paused.customer, { start_date: inDays(5) });
    for (const { id } of [first, halted]) await shop.commerce('POST', `/subscriptions/${id}/pause`, {});
    const mails = await send([one.contact, none.contact, paused.contact], SUBSCRIPTION);
    const [year, month, day] = inDays(10).split('-');
    expect(mails[0]).toContain(`[${day}.${month}.${year} Coffee &amp; Co 2 Coffee &amp; Co 2 x 12.5 Monthly]`);
    expect(mails[1]).toContain('[none]');
    expect(mails[2]).toContain('[none]');
  });
});

const CART =
  '<p>{% if cart %}[{% for i in cart.items %}{{ i.name }} {{ i.qty }} x {{ i.price }}, {% endfor %}{{ cart.total }}]{% else %}[no cart]{% endif %}</p>';

describe('cart', () => {
  const ITEMS = [{ product_id: '1', name: 'Mug', price: 40, quantity: 2 }];
  const emailOf = async (contact: number) => String((await shop.marketing('GET', `/contacts/${contact}`)).body.email);
  const event = async (contact: number, type: string, data: object = {}) => {
    server.clock.advance(1_000);
    return track(shop, await emailOf(contact), type, { ...data });
  };

  test('is that of the latest cart event, until an order follows', async () => {
    const contacts = await Promise.all([1, 2, 3, 4].map(() => contactOf(server, shop)));
    const [left, updated, ordered, empty] = contacts as [number, number, number, number];
    await shop.marketing('POST', '/event-types', { event_type: 'cart_updated', required_keys: [] });
    for (const contact of [left, updated, ordered]) await event(contact, 'cart_abandoned', { items: ITEMS });
    const newer = [{ name: 'Tea', price: 3, quantity: 1 }];
    await event(updated, 'cart_updated', { items: newer, cart_total: 3 });
    await event(ordered, 'order_placed');
    await event(empty, 'product_viewed');
    const mails = await send(contacts, CART);
    expect(mails[0]).toContain('[Mug 2 x 40, 80]');
    expect(mails[1]).toContain('[Tea 1 x 3, 3]');
    expect(mails[2]).toContain('[no cart]');
    expect(mails[3]).toContain('[no cart]');
    await event(ordered, 'cart_abandoned', { items: newer, cart_total: 4 });
    await event(left, 'cart_updated', { items: [] });
    const later = await send([ordered, left], CART);
    expect(later[0]).toContain('[Tea 1 x 3, 4]');
    expect(later[1]).toContain('[no cart]');
  });

  test('follows when events occurred, not when they were received, and is over after 30 days', async () => {
    const contacts = await Promise.all([1, 2].map(() => contactOf(server, shop)));
    const [late, old] = contacts as [number, number];
    for (const contact of contacts) await event(contact, 'cart_abandoned', { items: ITEMS });
    await event(late, 'order_placed');
    const shift =
      'update events set occurred_at = occurred_at - $2::interval where contact_id = $1 and event_type = $3';
    await server.rows(shift, [late, '1 hour', 'order_placed']);
    await server.rows(shift, [old, '31 days', 'cart_abandoned']);
    const mails = await send(contacts, CART);
    expect(mails[0]).toContain('[Mug 2 x 40, 80]');
    expect(mails[1]).toContain('[no cart]');
  });
});

const VIEWED =
  '<p>{% if recommendations.recently_viewed %}[{% for p in recommendations.recently_viewed %}{{ p.id }} {{ p.name }} {{ p.price }} {{ p.image }} {{ p.url }}, {% endfor %}]{% else %}[none viewed]{% endif %}</p>';

describe('recommendations.recently_viewed', () => {
  const view = async (contact: number, product_id: string, more: object = {}) => {
    server.clock.advance(61_000);
    const { body } = await shop.marketing('GET', `/contacts/${contact}`);
    return track(shop, body.email, 'product_viewed', { product_id, product_name: `Viewed ${product_id}`, ...more });
  };
  const productWith = async (fields: object, company = shop) =>
    String((await company.commerce('POST', '/products', { price: 7.5, stock_qty: 1, ...fields })).body.data!.id);

  test('has each product once, the last viewed first, as the catalogue has it now', async () => {
    const [contact, nobody] = [await contactOf(server, shop), await contactOf(server, shop)];
    const images = [{ url: 'https://img.example/1.png' }, { url: 'https://img.example/2.png', is_primary: true }];
    const mug = await productWith({ name: 'Mug', images });
    const gone = await productWith({ name: 'Gone' });
    await view(contact, mug, { price: 1 });
    await view(contact, gone);
    await view(contact, 'sku-1', { price: 3, url: 'https://x.example/1', image: 'https://x.example/1.png' });
    await view(contact, mug, { url: 'https://x.example/mug' });
    expect((await shop.commerce('PATCH', `/products/${gone}`, { archived: true })).status).toBe(200);
    const mails = await send([contact, nobody], VIEWED);
    const first = `${mug} Mug 7.5 https://img.example/2.png https://x.example/mug, `;
    expect(mails[0]).toContain(`[${first}sku-1 Viewed sku-1 3 https://x.example/1.png https://x.example/1, ]`);
    expect(mails[1]).toContain('[none viewed]');
  });

  test('has at most six, and none of another company', async () => {
    const contact = await contactOf(server, shop);
    const theirs = await productWith({ name: 'Theirs' }, await server.company());
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', theirs]) await view(contact, id);
    const [mail] = await send([contact], VIEWED);
    expect(mail).not.toContain('Theirs');
    expect(mail).toContain(`[${theirs} Viewed ${theirs}`);
    expect(mail!.match(/Viewed/g)).toHaveLength(6);
    expect(mail).not.toContain('Viewed a');
  });
});

const BEST =
  "<p>[{% for p in recommendations.best_sellers %}{{ p.name }} {{ p.formatted_price }} {{ p.url }}, {% endfor %}] tea[{% for p in recommendations.best_sellers_by_category['tea'] %}{{ p.name }}, {% endfor %}]</p>";
const TOGETHER =
  '<p>{% if recommendations.bought_together %}with[{% for p in recommendations.bought_together %}{{ p.name }}, {% endfor %}]{% else %}[nothing with]{% endif %}</p>';

describe('recommendations by sales', () => {
  test('are of the shop, of a category and of the last order, and follow the orders of this shop alone', async () => {
    const make = async (company: TestCompany, name: string, categories: string[] = []) => {
      const input = { name, price: 5, stock_qty: 100, categories };
      return Number((await company.commerce('POST', '/products', input)).body.data!.id);
    };
    const order = async (company: TestCompany, customer: number, items: [product: number, qty: number][]) => {
      const lines = items.map(([product_id, qty]) => ({ product_id, qty }));
      const { status, body } = await company.commerce('POST', '/orders', {
        customer_id: customer,
        items: lines,
        ...ADDRESS,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      return Number(body.data!.id);
    };
    const company = await server.company();
    const names = ['Assam', 'Bowl', 'Cup', 'Darjeeling'];
    const ids: number[] = [];
    for (const name of names) ids.push(await make(company, name, name.length > 4 ? ['tea'] : []));
    const [assam, bowl, cup, darjeeling] = ids as [number, number, number, number];
    const [ann, bob] = [await customerOf(company), await customerOf(company)];
    await order(company, ann.customer, [
      [assam, 3],
      [cup, 1],
    ]);
    await order(company, ann.customer, [
      [assam, 2],
      [cup, 1],
      [darjeeling, 4],
    ]);
    const cancelled = await order(company, bob.customer, [
      [bowl, 50],
      [assam, 1],
    ]);
    await company.commerce('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' });
    await order(company, bob.customer, [[assam, 1]]);
    const theirs = await server.company();
    await order(theirs, (await customerOf(theirs)).customer, [[await make(theirs, 'Theirs'), 9]]);
    await company.marketing('PATCH', '/brand-kit', { product_url: 'https://shop.example/p/{slug}' });
    await runOf('outbox');
    server.clock.advance(6 * 3_600_000 + 1_000);
    const { clock, log, db } = server.app;
    const run = createRecommendations({ db: db.chores, clock, log });
    while ((await run()) === UNFINISHED);

    const stranger = await contactOf(server, company);
    const contacts = [ann.contact, bob.contact, stranger];
    const campaign = await campaignOf(contacts, BEST + TOGETHER, company);
    expect((await company.marketing('POST', `/campaigns/send/${campaign}`)).status).toBe(200);
    await runOf('campaigns', 'sender');
    const mails = await Promise.all(contacts.map((contact) => mailTo(contact, company)));
    for (const mail of mails) {
      expect(mail).toContain('[Assam 5.00 USD https://shop.example/p/assam, Darjeeling 5.00 USD');
      expect(mail).toContain('tea[Assam, Darjeeling, ]');
      expect(mail).not.toMatch(/Bowl|Theirs/);
    }
    // Ann's last order contained all three products, so no recommendation is left; Bob's contained only the Assam.
    expect(mails[0]).toContain('[nothing with]');
    expect(mails[1]).toContain('with[Cup, Darjeeling, ]');
    expect(mails[2]).toContain('[nothing with]');
  });
});

describe('a preview', () => {
  const preview = async (of: object) => {
    const content = LOYALTY + SUBSCRIPTION + CART + VIEWED + BEST + TOGETHER;
    const { status, body } = await shop.marketing('POST', '/templates/preview', { channel: 'email', content, ...of });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.html as string;
  };

  test('shows samples without a contact, and the values of a contact', async () => {
    expect(await preview({})).toContain('[240 points, 2.4]');
    expect(await preview({})).toContain('[15.01.2030 Sample product 1 Sample product 1 x 19.9 Monthly]');
    expect(await preview({})).toContain('[Sample product 2 x 19.9, 39.8]');
    expect(await preview({})).toContain('1 Sample product 1 19.9 ');
    expect(await preview({})).toContain('[Sample product 1 19.90 USD https://example.com/product,');
    expect(await preview({})).toContain('tea[Sample product 1,');
    expect(await preview({})).toContain('with[Sample product 1,');
    const { customer, contact } = await customerOf();
    await shop.commerce('POST', `/customers/${customer}/loyalty/adjust`, { points: 50 });
    const shown = await preview({ contact_id: contact });
    expect(shown).toContain('[50 points, 0.5]');
    expect(shown).toContain('[none]');
  });

  test('names misspelt variables, and variables are listed', async () => {
    const content =
      "{{ loyalty.point }} {{ subscription.next_order }} {{ subscription.product_name }} {{ recommendations.best_seller.first.name }} {{ recommendations.best_sellers_by_category['tea'].first.name }}";
    const { body } = await shop.marketing('POST', '/templates/preview', { channel: 'sms', content });
    expect(body.findings).toMatchObject([
      { code: 'unknown_variable', detail: 'loyalty.point', suggestion: 'loyalty.points' },
      { code: 'unknown_variable', detail: 'subscription.next_order' },
      {
        code: 'unknown_variable',
        detail: 'recommendations.best_seller.first.name',
        suggestion: 'recommendations.best_sellers.first.name',
      },
    ]);
    expect(body.findings).toHaveLength(3);
    const { body: listed } = await shop.marketing('GET', '/templates/variables');
    expect(listed.variables).toEqual(
      expect.arrayContaining([
        ...['loyalty.points', 'subscription.next_order_at', 'recommendations.best_sellers'],
        ...['recommendations.best_sellers_by_category', 'recommendations.bought_together'],
      ]),
    );
  });
});

test('a constant number of statements for each variable that a template names, however many messages; none for a template without', async () => {
  const contacts = (await Promise.all([1, 2, 3, 4, 5].map(() => customerOf()))).map(({ contact }) => contact);
  const company = await server.app.messaging.companies.get(shop.company_id);
  const statementsOf = async (content: string, some: number[]): Promise<string[]> => {
    const campaignId = await campaignOf(some, content);
    const now = server.clock.now();
    const messages = some.map((contactId, i): ClaimedMessage => {
      const key = { companyId: shop.company_id, id: 1_000_000 + i, epoch: 1, attempts: 0, correlation: null };
      const times = { dueAt: now, wantedAt: now };
      const origin = { kind: 'campaign', campaignId, variant: null } as const;
      return { ...key, ...times, origin, channel: 'email', transactional: false, contactId, recipient: null };
    });
    let ready = 0;
    const sent = await recordStatements(() =>
      server.app.messaging.composer.compose(company, messages, now, async (slice) => {
        ready += slice.filter(({ composed }) => composed.kind === 'ready').length;
      }),
    );
    expect(ready).toBe(some.length);
    return sent.map(({ text }) => text);
  };
  const plain = await statementsOf('<p>Your loyalty, a subscription: {{ contact.email }}</p>', contacts);
  expect(
    plain.filter((text) =>
      /customer_accounts|subscriptions|cart_abandoned|product_viewed|best_sellers|products_together/.test(text),
    ),
  ).toEqual([]);
  expect(await statementsOf(LOYALTY, contacts)).toHaveLength(plain.length + 1);
  expect(await statementsOf(VIEWED, contacts)).toHaveLength(plain.length + 1);
  expect(await statementsOf(BEST, contacts)).toHaveLength(plain.length + 2);
  expect(await statementsOf(TOGETHER, contacts)).toHaveLength(plain.length + 1);
  const all = LOYALTY + SUBSCRIPTION + CART;
  expect(await statementsOf(all, contacts)).toHaveLength(plain.length + 5);
  expect(await statementsOf(all, contacts.slice(0, 1))).toHaveLength(plain.length + 5);
});
