import { beforeAll, describe, expect, test } from 'vitest';
import { TestImports } from '../imports/testing/imports.ts';
import { checkInvariants } from '../invariants.ts';
import { TABLES } from '../tables.ts';
import { type TestBody, type TestCompany, testServer } from '../testing/harness.ts';
import { type TestPerson, testPerson } from '../testing/people.ts';
import { ENDPOINTS } from '../testing/records.ts';
import { dump, Markers, sendSigned, settle } from './markers.ts';

/**
 * Writes a marker into every personal field of every endpoint that writes about a person, erases the person, then searches every row of
 * every table.
 */
const server = testServer();
const markers = new Markers();

/** Fields of bodies that are not personal; all others need a marker. */
const IMPERSONAL = new Set([
  ...[
    'customer_id',
    'from',
    'product_id',
    'frequency_id',
    'items',
    'quantity',
    'start_date',
    'next_billing_date',
    'resume_on',
  ],
  ...[
    'promo_code',
    'redeem_points',
    'shipping_method_id',
    'saved_method_id',
    'location_id',
    'points',
    'status',
    'accepts_marketing',
    'at',
  ],
  // Kept for accounting: state and country of an order, and its number in the shop's own system.
  ...['shipping_state', 'shipping_country', 'external_id of POST /orders'],
  ...[
    'tags_mode',
    'list_ids',
    'channels',
    'channel',
    'contact_ids',
    'contact_id',
    'variant',
    'event_type',
    'occurred_at',
  ],
  ...['preferences', 'include_unknown', 'tags of remove'],
]);

/** The commerce API's resources that the audit log declares to be about nobody. */
const IMPERSONAL_RESOURCES = TABLES.flatMap(({ audit = {} }) =>
  Object.entries(audit).flatMap(([resource, { about }]) => (about === 'nobody' ? [resource] : [])),
);
const isImpersonal = (name: string): boolean =>
  IMPERSONAL_RESOURCES.some((resource) => new RegExp(`^commerce \\w+ /${resource}(/|$)`).test(name));
/** Other endpoints that write, but not about one person. */
const NOT_ABOUT_PEOPLE =
  /^(commerce (POST|PATCH|DELETE) \/loyalty|marketing (POST|PATCH|DELETE|PUT) \/(event-types|segments|templates(?!\/test)|sending-settings|sending-domains|sending-accounts|brand-kit|retention-settings|webhook-endpoints|flows|lists$|lists\/\{id\}$|campaigns$|campaigns\/\{id\}$|forms$|forms\/\{id\}$|campaigns\/(send|pause|resume|cancel|duplicate|resend|retry)))/;
/** Endpoints whose bodies are not personal, or whose effects are covered by other endpoints. */
const NOTHING_TO_PLANT =
  /DELETE|\/skip$|\/resume$|\/messages\/(retry|mark-sent)|\/bounces\/|\/sms\/|\/outbox\/refusals|\/verify-password$|\/(invite|close-account|end-sessions)$|\/payments\/\{id\}\/(cancel|capture)$|\/contacts\/remove$|\/suppressions\/lift$|\/promo-codes\/validate$|\/orders\/calculate$/;

let shop: TestCompany;
let owner: TestPerson;
const planted = new Map<string, Set<string>>();
let keys = 0;

/** Sends a body as a person whose writes are in the audit log, with an Idempotency-Key, and records which fields of the endpoint it has. */
async function plant(name: string, path: string, body: Record<string, unknown>): Promise<TestBody> {
  const [side, method, endpoint] = name.split(' ') as ['commerce' | 'marketing', string, string];
  planted.set(name, new Set([...Object.keys(body), ...(planted.get(name) ?? [])]));
  const response = await owner.ask(method, `/${shop.company_id}${path}`, body, {
    'idempotency-key': `plant-${keys++}`,
  });
  if (response.status > 201) throw new Error(`${endpoint}: ${JSON.stringify(response.body)}`);
  return side === 'commerce' ? response.body.data : response.body;
}

const address = (of: string) => ({
  shipping_address: markers.text(`${of}.shipping_address`),
  shipping_city: markers.text(`${of}.shipping_city`),
  shipping_zip: markers.text(`${of}.shipping_zip`),
  shipping_country: 'US',
});

const consent = (of: string) => ({
  state: 'subscribed',
  text: markers.text(`${of}.text`),
  ip: markers.ip(`${of}.ip`),
  user_agent: markers.text(`${of}.user_agent`),
});

let customerId: number;
let contactId: number;
let orderId: number;
let bystander: { customer: number; contact: number };

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  await makeSurroundings();
  await plantInShop();
  await plantInMarketing();
  await plantInWords();
  await settle(server);
  await plantWhatWorkersWrite();
  await plantInImports();
  await plantInViews();
});

let listId: number;
let productId: number;
let campaignId: number;

async function makeSurroundings(): Promise<void> {
  productId = (
    await shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 100, subscription_enabled: true })
  ).body.data.id;
  for (const [on, key] of [
    ['customer', 'note'],
    ['customer', 'size'],
    ['order', 'note'],
  ]) {
    await shop.commerce('POST', '/custom-fields', { on, key, name: key, type: 'text' });
  }
  listId = (await shop.marketing('POST', '/lists', { name: 'All' })).body.list_id;
  await shop.marketing('POST', '/webhook-endpoints', { url: 'https://shop.example.com/hook' });
  await shop.marketing('POST', '/event-types', { event_type: 'sneezed' });
  const link = '<p>{{ contact.first_name }} <a href="https://shop.example/?c={{ contact.email }}">x</a></p>';
  await shop.marketing('POST', '/flows', {
    name: 'flow',
    trigger_type: 'sneezed',
    status: 'active',
    steps: [
      { step_id: 'mail', type: 'send_email', config: { subject: 'Hi {{ contact.first_name }}', content: link } },
      { step_id: 'tell', type: 'notify', config: { message: '{{ contact.email }} {{ event.note }}' } },
      { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
    ],
    connections: [
      { from: 'trigger', to: 'mail' },
      { from: 'mail', to: 'tell' },
      { from: 'tell', to: 'wait' },
    ],
  });
  campaignId = (
    await shop.marketing('POST', '/campaigns', {
      name: 'c',
      type: 'email',
      subject: 'Hi',
      content: link,
      list_id: listId,
    })
  ).body.campaign_id;
  const other = { email: 'bystander@example.com', first_name: 'Bystander', last_name: 'B' };
  const customer = (await shop.commerce('POST', '/customers', other)).body.data.id;
  await settle(server);
  const [contact] = await server.rows<{ id: number }>(
    "select id::int from contacts where email = 'bystander@example.com'",
  );
  bystander = { customer, contact: contact!.id };
}

async function plantInShop(): Promise<void> {
  const customer = await plant('commerce POST /customers', '/customers', {
    email: markers.email('customer.email before'),
    first_name: markers.text('customer.first_name'),
    last_name: markers.text('customer.last_name'),
    phone: markers.phone('customer.phone'),
    password: markers.text('customer.password') + markers.text('customer.password again'),
    accepts_marketing: false,
    ...address('customer'),
    metadata: { note: markers.text('customer.metadata') },
    custom: { note: markers.text('customer.custom') },
  });
  customerId = customer.id;
  const order = await plant('commerce POST /orders', '/orders', {
    customer_id: customerId,
    items: [{ product_id: productId, qty: 1 }],
    ...address('order'),
    metadata: { note: markers.text('order.metadata') },
    custom: { note: markers.text('order.custom') },
  });
  orderId = order.id;
  const cartFields = (name: string, email = markers.email(`${name}.email`)) => ({
    email,
    first_name: markers.text(`${name}.first_name`),
    last_name: markers.text(`${name}.last_name`),
    phone: markers.phone(`${name}.phone`),
    ...address(name),
    billing: { address: markers.text(`${name}.billing`), city: 'Berlin', zip: '10117' },
    metadata: { note: markers.text(`${name}.metadata`) },
    custom: { note: markers.text(`${name}.custom`) },
    note: markers.text(`${name}.note`),
  });
  const lines = [{ product_id: productId, qty: 1, override_reason: markers.text('cart.override_reason') }];
  const cart = await plant('commerce POST /carts', '/carts', { customer_id: customerId, lines, ...cartFields('cart') });
  await plant('commerce PATCH /carts/{id}', `/carts/${cart.id}`, cartFields('cart later'));
  await plant('commerce POST /carts/{id}/lines', `/carts/${cart.id}/lines`, { lines });
  await plant('commerce PATCH /carts/{id}/lines/{line_id}', `/carts/${cart.id}/lines/1`, {
    qty: 2,
    price_override: 1,
    override_reason: markers.text('cart.override_reason later'),
  });
  await plant('commerce POST /carts/{id}/place', `/carts/${cart.id}/place`, {});
  await plant('commerce POST /carts', '/carts', { lines, ...cartFields('guest cart', customer.email) });
  const former = await plant('commerce POST /carts', '/carts', {
    lines,
    ...cartFields('placed guest cart', customer.email),
    ...address('placed guest cart'),
  });
  const method = await shop.commerce('POST', '/payment-methods', { kind: 'bank_transfer', name: 'Transfer' });
  // Kept only by payments of services, until they have begun.
  const back = 'https://shop.example/thanks';
  const way = { method_id: method.body.data.id, expected_total: former.total, return_url: back };
  await plant('commerce POST /carts/{id}/pay-link', `/carts/${former.id}/pay-link`, { send: true });
  await plant('commerce POST /carts/{id}/pay', `/carts/${former.id}/pay`, way);
  await plant('commerce POST /carts/{id}/confirm', `/carts/${former.id}/confirm`, {});
  await plant('commerce POST /carts/{id}/reopen', `/carts/${former.id}/reopen`, {});
  await plant('commerce POST /carts/{id}/place', `/carts/${former.id}/place`, {
    payments: [{ method_id: way.method_id, amount: 1, reference: markers.text('placed cart.reference') }],
  });
  await plant('commerce POST /orders/{id}/pay-link', `/orders/${orderId}/pay-link`, { send: true });
  const money = { method_id: way.method_id, amount: 1, received_on: '2026-01-02' };
  await plant('commerce POST /orders/{id}/payments', `/orders/${orderId}/payments`, {
    ...money,
    reference: markers.text('payment.reference'),
  });
  await plant('commerce POST /orders/{id}/refunds', `/orders/${orderId}/refunds`, {
    lines: [],
    shipping: 0,
    amount: 0.5,
    to: 'manual',
    reason: markers.text('refund.reason'),
  });
  await plant('commerce POST /orders', '/orders', {
    customer_id: customerId,
    items: [{ product_id: productId, qty: 1 }],
    ...address('paid order'),
    payments: [{ ...money, reference: markers.text('paid order.reference') }],
  });
  await plant('commerce PATCH /orders/{id}/status', `/orders/${orderId}/status`, {
    status: 'shipped',
    tracking_number: markers.text('order.tracking_number'),
    carrier: markers.text('order.carrier'),
    custom: { note: markers.text('order.custom later') },
  });
  const subscribed = { customer_id: customerId, product_id: productId, frequency_id: 3 };
  for (const [i, path] of ['pause', 'cancel'].entries()) {
    const { id } = await plant('commerce POST /subscriptions', '/subscriptions', {
      ...subscribed,
      ...address(`subscription ${i}`),
    });
    await plant('commerce PATCH /subscriptions/{id}', `/subscriptions/${id}`, {
      quantity: 2,
      ...address(`moved subscription ${i}`),
    });
    const body = path === 'cancel' ? { reason: markers.text('subscription.reason') } : {};
    await plant(`commerce POST /subscriptions/{id}/${path}`, `/subscriptions/${id}/${path}`, body);
  }
  await plant('commerce POST /customers/{id}/loyalty/adjust', `/customers/${customerId}/loyalty/adjust`, {
    points: 5,
    reason: markers.text('loyalty.reason'),
  });
  await plant('commerce POST /customers/{id}/notes', `/customers/${customerId}/notes`, {
    text: markers.text('customer.note'),
  });
  await plant('commerce POST /orders/{id}/notes', `/orders/${orderId}/notes`, { text: markers.text('order.note') });
  await settle(server);
  await plant('commerce PATCH /customers/{id}', `/customers/${customerId}`, {
    email: markers.email('customer.email'),
    first_name: markers.text('customer.first_name later'),
    last_name: markers.text('customer.last_name later'),
    phone: markers.phone('customer.phone later'),
    accepts_marketing: false,
    ...address('customer later'),
    metadata: { note: markers.text('customer.metadata later') },
    custom: { note: markers.text('customer.custom later') },
  });
  // Somebody who is merged into the customer: data that names their former id has to be erased as well.
  const twin = await plant('commerce POST /customers', '/customers', {
    email: markers.email('twin.email'),
    first_name: markers.text('twin.first_name'),
    last_name: markers.text('twin.last_name'),
    phone: markers.phone('twin.phone'),
    ...address('twin'),
    metadata: { note: markers.text('twin.metadata') },
    custom: { note: markers.text('twin.custom'), size: markers.text('twin.custom size') },
  });
  await plant('commerce POST /orders', '/orders', {
    customer_id: twin.id,
    items: [{ product_id: productId, qty: 1 }],
    ...address('twin order'),
  });
  await plant('commerce POST /customers/{id}/notes', `/customers/${twin.id}/notes`, {
    text: markers.text('twin.note'),
  });
  await settle(server);
  await plant('commerce POST /customers/{id}/merge', `/customers/${customerId}/merge`, { from: twin.id });
  await plant('commerce POST /customers/{id}/password', `/customers/${customerId}/password`, {
    password: markers.text('password') + markers.text('password again'),
  });
}

async function plantInMarketing(): Promise<void> {
  const external_id = String(customerId);
  const contact = await plant('marketing POST /contacts', '/contacts', {
    external_id,
    email: markers.email('contact.email before'),
    phone: markers.phone('contact.phone before'),
    first_name: markers.text('contact.first_name'),
    last_name: markers.text('contact.last_name'),
    source: markers.text('contact.source'),
    tags: [markers.text('contact.tags')],
    remove_tags: [markers.text('contact.remove_tags')],
    properties: { note: markers.text('contact.properties'), [markers.text('contact.property name')]: 1 },
    consent: { email: consent('contact.consent.email'), sms: consent('contact.consent.sms') },
    list_ids: [listId],
  });
  contactId = contact.contact_id;
  const email = markers.email('contact.email');
  await plant('marketing PATCH /contacts/{id}', `/contacts/${contactId}`, {
    email,
    phone: markers.phone('contact.phone'),
    first_name: markers.text('contact.first_name later'),
    last_name: markers.text('contact.last_name later'),
    source: markers.text('contact.source later'),
    tags: [markers.text('contact.tags later')],
    remove_tags: [markers.text('contact.remove_tags later')],
    properties: { note: markers.text('contact.properties later') },
    consent: { sms: { ...consent('contact.consent later'), state: 'unsubscribed' } },
    external_id,
  });
  await plant('marketing POST /contacts/batch', '/contacts/batch', {
    contacts: [
      { email, properties: { batch: markers.text('batch.properties') } },
      { email: 'no address', phone: email },
    ],
  });
  const double = await plant('marketing POST /contacts', '/contacts', {
    email: markers.email('double.email'),
    first_name: markers.text('double.first_name'),
    tags: [markers.text('double.tags')],
    properties: { note: markers.text('double.properties') },
  });
  await plant('marketing POST /contacts/{id}/merge', `/contacts/${contactId}/merge`, {
    other_contact_id: double.contact_id,
  });
  const other = (await shop.marketing('POST', '/lists', { name: 'Other' })).body.list_id;
  await plant('marketing POST /lists/{id}/contacts', `/lists/${other}/contacts`, {
    emails: [email],
    contact_ids: [contactId],
    consent: { source: markers.text('list.consent.source'), ip: markers.ip('list.consent.ip') },
  });
  const event = (of: string) => ({
    event_type: 'sneezed',
    event_data: {
      email,
      note: markers.text(`${of}.event_data`),
      [markers.text(`${of}.event_data key`)]: { deep: [markers.text(`${of}.deep`)] },
    },
    event_id: markers.text(`${of}.event_id`),
  });
  await plant('marketing POST /events', '/events', event('event'));
  await plant('marketing POST /events/batch', '/events/batch', { events: [event('batch event')] });
  expect(await sendSigned(server, shop, '/marketing/webhook', event('webhook'))).toBe(200);
  planted.set('marketing POST /webhook', new Set(['event_type', 'event_data', 'event_id']));
  await settle(server);
  await plant('marketing POST /campaigns/preview/{id}', `/campaigns/preview/${campaignId}`, { contact_id: contactId });
  await plant('marketing POST /campaigns/test/{id}', `/campaigns/test/${campaignId}`, {
    contact_id: contactId,
    recipients: [email],
  });
  const mail = { name: 'Tested', subject: 'Hi', content: '<p>{{ contact.email }}</p>' };
  const { template_id: templateId } = (await shop.marketing('POST', '/templates', mail)).body;
  await plant('marketing POST /templates/test/{id}', `/templates/test/${templateId}`, {
    contact_id: contactId,
    recipients: [email],
  });
  await shop.marketing('POST', `/campaigns/send/${campaignId}`);
  await settle(server);
  const report = { type: 'soft', email };
  expect(await sendSigned(server, shop, '/marketing/bounces', { reports: [report] })).toBe(200);
  planted.set('marketing POST /bounces', new Set(['reports']));
  for (const action of ['unsubscribe', 'resubscribe', 'unsubscribe'] as const) {
    const reason = markers.text(`${action} ${keys}.reason`);
    await plant(`marketing POST /contacts/${action}/{id}`, `/contacts/${action}/${contactId}`, { reason });
  }
  await plant('marketing POST /suppressions', '/suppressions', { addresses: [email] });
}

/** Rows that workers write after errors or replies of other servers. */
async function plantWhatWorkersWrite(): Promise<void> {
  const company = shop.company_id;
  const of = (field: string) => markers.text(field);
  await server.rows('insert into soft_bounces values ($1, $2, 1, now(), $3)', [
    company,
    contactId,
    of('soft_bounces.email'),
  ]);
  await server.rows(
    `insert into outbox_refusals (company_id, id, topic, payload, occurred_at, reason, refused_at)
     values ($1, 1000000, 'order_placed', jsonb_build_object('customer_id', $2::text, 'email', $3::text), now(), $3, now())`,
    [company, customerId, of('refused event')],
  );
  await server.rows(
    `insert into outbox (company_id, topic, payload, occurred_at)
     values ($1, 'customer_updated', jsonb_build_object('customer_id', $2::text, 'email', $3::text), now())`,
    [company, customerId, of('waiting event')],
  );
  const [{ id: run }] = (await server.rows<{ id: number }>(
    'select id::int from flow_runs where contact_id = $1 limit 1',
    [contactId],
  )) as [{ id: number }];
  await server.rows('insert into flow_signals (company_id, run_id, signal) values ($1, $2, to_jsonb($3::text))', [
    ...[company, run, of('flow_signals.signal')],
  ]);
  await server.rows(`update flow_run_log set entries = jsonb_build_array($2::text) where run_id = $1`, [
    run,
    of('log'),
  ]);
  await server.rows(
    `insert into flow_webhook_calls (company_id, flow_id, version, run_id, step_id, visit, due_at, error, created_at)
     values ($1, 1, 1, $2, 's', 1, now() + interval '1 year', $3, now())`,
    [company, run, of('flow_webhook_calls.error')],
  );
  await server.rows(
    `insert into flow_notifications (company_id, flow_id, run_id, step_id, contact_id, message, created_at)
     values ($1, 1, $2, 's', $3, $4, now())`,
    [company, run, contactId, of('flow_notifications.message')],
  );
  await server.rows(`update webhook_deliveries set response_body = $1, error = $1 where body like '%' || $2 || '%'`, [
    of('webhook_deliveries.response_body'),
    `"customer_id":"${customerId}"`,
  ]);
  await server.rows(
    `insert into form_submissions (company_id, form_id, contact_id, address_hash, phone, given, consent_text, ip, user_agent, created_at)
     values ($1, 1, $2, '', $3, to_jsonb($4::text), 'Yes', $5, $6, now())`,
    [company, contactId, markers.phone('form.phone'), of('form.given'), markers.ip('form.ip'), of('form.user_agent')],
  );
  const [email] = await server.rows<{ email: string }>('select email from contacts where id = $1', [contactId]);
  await server.rows(
    `insert into tracked_links (company_id, url, hash) select $1, url, sha256(url::bytea) from (select 'https://x.example/?e=' || $2) u (url)`,
    [company, email!.email],
  );
}

/** Imports a refused row that spells the phone number as the file does. */
async function plantInImports(): Promise<void> {
  const { phone } = (await shop.marketing('GET', `/contacts/${contactId}`)).body as { phone: string };
  const [area, first, last] = [phone.slice(2, 5), phone.slice(5, 8), phone.slice(8)];
  const row = (name: string): string => `(${area}) ${first}-${last},${name}\n`;
  const file = `phone,first name\n${row('Ada')}${row(markers.text('import.first_name'))}`;
  const done = await new TestImports(server, shop).import('csv-contacts', file, { email_consent: 'never' });
  expect(done).toMatchObject({ updated: 1, refused: 1 });
  const lost = `phone,first name\n${phone.slice(1)}e+0${markers.text('import.phone')},Ada\n`;
  await new TestImports(server, shop).import('csv-contacts', lost, { email_consent: 'never' });
}

/** Saves views whose searches name the person. */
async function plantInViews(): Promise<void> {
  const person = await testPerson(server, { [shop.company_id]: 'owner' });
  const { email, phone } = (await shop.marketing('GET', `/contacts/${contactId}`)).body as TestBody;
  const searches = [
    ['plain', `search=${email.toUpperCase()}&status=subscribed`],
    ['encoded', `status=subscribed&search=${encodeURIComponent(email)}`],
    ['phone', `search=${encodeURIComponent(phone)}`],
    ['digits', `search=${phone.slice(1)}`],
    [email, 'status=subscribed'],
    ['other', 'search=bystander%40example.com'],
  ];
  for (const [name, search] of searches) {
    const view = { list: 'contacts', name, search };
    expect((await person.ask('POST', `/${shop.company_id}/views`, view)).status).toBe(200);
  }
}

/** Writes the person's addresses into names, rules and filters. */
async function plantInWords(): Promise<void> {
  const { email, phone } = (await shop.marketing('GET', `/contacts/${contactId}`)).body as TestBody;
  let sent = 0;
  const make = async (path: string, body: object): Promise<TestBody> => {
    const headers = { 'idempotency-key': `words-${sent++}` };
    const response = await owner.ask('POST', `/${shop.company_id}${path}`, body, headers);
    expect([path, response.status, response.body]).toEqual([path, 201, expect.anything()]);
    return response.body;
  };
  const spelled = phone.replace(/^(\+1)(\d{3})(\d{3})/, '$1 ($2) $3-');
  const is = (field: string, value: unknown) => ({ field, comparison: 'equals', value });
  const rules = [
    is('email', email.toUpperCase()),
    { field: 'phone', comparison: 'contains', value: phone.slice(1) },
    { field: 'properties.note', comparison: 'in', value: ['kept', `from ${email}`, `call ${spelled}`] },
  ];
  const { segment_id } = await make('/segments', { name: `Only ${email}`, conditions: { operator: 'or', rules } });
  const renamed = { name: `${email} and ${spelled}` };
  expect((await owner.ask('PATCH', `/${shop.company_id}/segments/${segment_id}`, renamed)).status).toBe(200);
  await make('/lists', { name: `Friends of ${email}`, description: `Or ${spelled}` });
  await make('/imports', { format: 'csv-contacts', file_name: `export_${email}_${phone}.csv` });
  await make('/contacts/tag-all', { filters: { search: email.toUpperCase() }, tag: `vip ${phone}` });
  await make('/contacts/untag-all', { filters: { search: phone.slice(1) }, tag: 'vip' });
  const flow = await make('/flows', {
    name: `For ${email}`,
    trigger_type: 'order_placed',
    trigger_conditions: { rules: [is('contact.email', email), is('contact.phone', phone)] },
    steps: [{ step_id: 'out', type: 'exit', config: { reason: 'done' } }],
    connections: [{ from: 'trigger', to: 'out' }],
  });
  await make(`/flows/duplicate/${flow.flow_id}`, {});
  expect((await owner.ask('POST', `/${shop.company_id}/flows/activate/${flow.flow_id}`)).status).toBe(200);
  const mail = { name: `For ${email}`, type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: listId };
  await make('/campaigns', mail);
  await make('/templates', { name: `For ${email}`, channel: 'email', subject: 'Hi', content: '<p>Hi</p>' });
  await make('/forms', { name: `For ${email}`, list_ids: [listId], consent_text: 'Yes', channels: ['email'] });
}

describe('markers', () => {
  test('are written into every field of every endpoint that stores personal data', () => {
    const writing = ENDPOINTS.filter(({ endpoint }) => endpoint.method !== 'GET').map(({ side, endpoint }) => ({
      name: `${side} ${endpoint.method} ${endpoint.path}`,
      fields: Object.keys(endpoint.body?.properties ?? {}),
    }));
    const open = writing.filter(
      ({ name }) => !isImpersonal(name) && !NOT_ABOUT_PEOPLE.test(name) && !NOTHING_TO_PLANT.test(name),
    );
    const missing = open.flatMap(({ name, fields }) => [
      ...(planted.has(name) ? [] : [name]),
      ...fields
        .filter(
          (field) => !IMPERSONAL.has(field) && !IMPERSONAL.has(`${field} of ${name.split(' ').slice(1).join(' ')}`),
        )
        .filter((field) => !planted.get(name)?.has(field))
        .map((field) => `${name} ${field}`),
    ]);
    expect(missing).toEqual([]);
  });

  test('are in all tables with personal data before the erasure', async () => {
    const found = markers.foundIn(await dump(server));
    const unseen = [...markers.fields.values()].filter((field) => !found.has(field));
    // Only a password's hash is stored, and removed tags were never stored.
    expect(unseen.filter((field) => !/password|remove_tags/.test(field))).toEqual([]);
    const tables = new Set([...found.values()].flatMap((names) => [...names]));
    expect([...tables].sort()).toEqual(
      expect.arrayContaining([
        ...['contact_consents', 'contact_former_keys', 'contacts', 'customers', 'flow_notifications', 'flow_runs'],
        ...['form_submissions', 'outbox', 'outbox_refusals'],
        ...[
          'idempotency_keys',
          'list_memberships',
          'loyalty_ledger',
          'mailbox_messages',
          'messages',
          'notes',
          'orders',
        ],
        ...['soft_bounces', 'subscription_history', 'subscriptions', 'tracked_links', 'webhook_deliveries'],
        ...['audit_values', 'import_chunks', 'import_findings', 'import_journal', 'saved_views'],
        ...[
          'bulk_actions',
          'campaigns',
          'flow_versions',
          'flows',
          'forms',
          'imports',
          'lists',
          'segments',
          'templates',
        ],
      ]),
    );
  });

  test('are in no row of any table after DELETE /customers/{id}', async () => {
    const before = await shop.commerce('GET', `/orders/${orderId}`);
    const response = await shop.commerce('DELETE', `/customers/${customerId}`);
    expect([response.status, response.body.data]).toEqual([200, { id: customerId, deleted: true }]);
    const atOnce = markers.foundIn(await dump(server));
    // What the API shows is erased at once; only events may be erased later.
    expect([...atOnce].filter(([, tables]) => [...tables].some((table) => !table.startsWith('events')))).toEqual([]);
    await settle(server);
    await expect
      .poll(async () => {
        await settle(server);
        return server.rows('select id from erasures where finished_at is null');
      })
      .toEqual([]);
    expect(
      [...markers.foundIn(await dump(server))].map(([field, tables]) => `${field}: ${[...tables].join(', ')}`),
    ).toEqual([]);
    const { body } = await shop.commerce('GET', `/orders/${orderId}`);
    const { total, items, status, shipping_country, external_id } = before.body.data;
    expect(body.data).toMatchObject({ total, items, status, shipping_country, external_id, customer_id: customerId });
    expect(body.data).toMatchObject({
      shipping_address: '',
      shipping_city: '',
      shipping_zip: '',
      tracking_number: null,
    });
    expect(body.data.metadata).toEqual({});
    for (const [side, path] of [
      ['commerce', `/customers/${customerId}`],
      ['commerce', `/customers/${customerId}/orders`],
      ['commerce', `/customers/${customerId}/loyalty`],
      ['marketing', `/contacts/${contactId}`],
    ] as const) {
      expect([path, (await shop[side]('GET', path)).status]).toEqual([path, 404]);
    }
    expect((await shop.commerce('DELETE', `/customers/${customerId}`)).status).toBe(404);
    expect((await shop.commerce('GET', '/customers')).body.meta.pagination.total).toBe(1);
    const { data } = (await shop.commerce('GET', `/subscriptions?customer_id=${customerId}`)).body;
    expect(data.map((one: { status: string }) => one.status)).toEqual(['cancelled', 'cancelled']);
    expect((await shop.commerce('GET', `/customers/${bystander.customer}`)).body.data.first_name).toBe('Bystander');
    expect((await shop.marketing('GET', `/contacts/${bystander.contact}`)).body.first_name).toBe('Bystander');
    expect(await server.rows('select name from saved_views')).toEqual([{ name: 'other' }]);
    const [segment] = (await shop.marketing('GET', '/segments')).body.segments;
    const values = segment.conditions.rules.map(({ value }: { value: unknown }) => value);
    expect([segment.name, ...values]).toEqual(['••• and •••', '•••', '•••', ['kept', 'from •••', 'call •••']]);
    expect(await server.rows("select description from lists where name = 'Friends of •••'")).toEqual([
      { description: 'Or •••' },
    ]);
    expect(await server.rows("select file_name from imports where file_name like 'export%'")).toEqual([
      { file_name: 'export_•••_•••.csv' },
    ]);
    expect(await server.rows("select 1 from audit_log where details::text ~ '213[)] '")).toEqual([]);
    await expect(server.rows("update flow_versions set name = 'x'")).rejects.toThrow('append-only');
    const broken = (await checkInvariants(server.app.db)).filter(({ ok }) => !ok);
    expect(broken).toEqual([]);
  });
});
