import { newWebhookToken, sealSecrets } from '../../commerce/payments/accounts/account.ts';
import { drawn } from '../../commerce/pictures/testing-pictures.ts';
import type { TestBody, TestCompany, TestServer } from '../harness.ts';
import { RECIPES, type Side } from '../recipes.ts';

/** Ids and unique names by the records that requests name. */
export type Ids = Record<string, number | string>;

/** A company with at least one record of every resource; its texts hold a word that no other company's have. */
export interface SeededCompany {
  server: TestServer;
  shop: TestCompany;
  mark: string;
  ids: Ids;
  /** Sends a request that has to succeed; returns the record in the response. */
  make(side: Side, method: string, path: string, body?: unknown): Promise<TestBody>;
  /** Runs the workers that send nothing out of the program until nothing is due. */
  work(): Promise<void>;
}

export const ADDRESS = {
  shipping_address: 'Unter den Linden 1',
  shipping_city: 'Berlin',
  shipping_zip: '10117',
  shipping_country: 'DE',
};

const WORKERS = ['outbox', 'flows', 'campaign-audiences', 'campaigns', 'sender', 'erasures', 'imports'];

export async function seedCompany(server: TestServer, mark: string): Promise<SeededCompany> {
  const shop = await server.company({ name: `${mark} shop` });
  const company: SeededCompany = {
    server,
    shop,
    mark,
    ids: { company: shop.company_id },
    async make(side, method, path, body) {
      const { status, body: made } = await shop[side](method, path, body);
      if (status > 201) throw new Error(`${method} ${path}: ${JSON.stringify(made)}`);
      return side === 'commerce' ? made.data : made;
    },
    async work() {
      const workers = server.app.workers.filter(({ name }) => WORKERS.includes(name));
      for (let round = 0, done = 1; done > 0 && round < 100; round++) {
        done = 0;
        for (const worker of workers) done += await worker.runOnce();
      }
    },
  };
  await seedMarketing(company);
  await seedShop(company);
  await company.work();
  await seedHistory(company);
  return company;
}

/** An account that nothing is sent by, at a host that does not exist. */
export function accountOf(mark: string): Record<string, unknown> {
  return {
    name: `${mark} account`,
    smtp: { host: `${mark}.invalid`, username: mark, password: `password of ${mark}`.replaceAll(' ', '-') },
  };
}

async function seedMarketing({ make, ids, mark, shop }: SeededCompany): Promise<void> {
  const endpoint = { url: `https://${mark}.example.com/hook`, description: mark };
  ids.endpoint = (await make('marketing', 'POST', '/webhook-endpoints', endpoint)).endpoint_id;
  ids.domain = (await make('marketing', 'POST', '/sending-domains', { domain: `${mark}.example.com` })).domain_id;
  ids.account = (await make('marketing', 'POST', '/sending-accounts', accountOf(mark))).account_id;
  ids.list = (await make('marketing', 'POST', '/lists', { name: `${mark} list`, description: mark })).list_id;
  ids.event_type = `${mark}_sneezed`;
  await make('marketing', 'POST', '/event-types', { event_type: ids.event_type });
  const mail = { name: `${mark} template`, subject: mark, content: `<p>${mark}</p>` };
  ids.template = (await make('marketing', 'POST', '/templates', mail)).template_id;
  ids.flow = (await make('marketing', 'POST', '/flows', flowOf(mark, ids, { status: 'active' }))).flow_id;
  ids.draft_flow = (await make('marketing', 'POST', '/flows', flowOf(mark, ids))).flow_id;
  const rule = { field: 'first_name', comparison: 'equals', value: mark };
  const segment = { name: `${mark} segment`, conditions: { rules: [rule] } };
  ids.segment = (await make('marketing', 'POST', '/segments', segment)).segment_id;
  const form = { name: `${mark} form`, list_ids: [ids.list], consent_text: mark };
  ids.form = (await make('marketing', 'POST', '/forms', form)).form_id;
  ids.email = `contact@${mark}.example.com`;
  const contact = {
    email: ids.email,
    first_name: mark,
    tags: [mark],
    list_ids: [ids.list],
    properties: { note: mark },
  };
  ids.contact = (await make('marketing', 'POST', '/contacts', contact)).contact_id;
  ids.other_contact = (await make('marketing', 'POST', '/contacts', { email: `other@${mark}.example.com` })).contact_id;
  ids.suppressed = `suppressed@${mark}.example.com`;
  await make('marketing', 'POST', '/suppressions', { addresses: [ids.suppressed] });
  ids.draft_campaign = await draftCampaign(mark, ids, make);
  ids.campaign = await draftCampaign(mark, ids, make);
  await make('marketing', 'POST', `/campaigns/send/${ids.campaign}`);
  const event = { event_type: ids.event_type, event_data: { email: ids.email, note: mark } };
  ids.event = (await make('marketing', 'POST', '/events', event)).event_id;
  ids.company = shop.company_id;
}

/** Returns its id. */
export async function draftCampaign(mark: string, ids: Ids, make: SeededCompany['make']): Promise<number> {
  const body = { name: `${mark} campaign`, type: 'email', subject: mark, template_id: ids.template, list_id: ids.list };
  return (await make('marketing', 'POST', '/campaigns', body)).campaign_id;
}

/** A flow that mails with the company's template, notifies the shop and waits. */
export function flowOf(mark: string, ids: Ids, more: { status?: string } = {}): object {
  return {
    name: `${mark} flow`,
    trigger_type: ids.event_type,
    steps: [
      { step_id: 'mail', type: 'send_email', config: { template_id: ids.template, transactional: true } },
      { step_id: 'tell', type: 'notify', config: { message: mark } },
      { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
    ],
    connections: [
      { from: 'trigger', to: 'mail' },
      { from: 'mail', to: 'tell' },
      { from: 'tell', to: 'wait' },
    ],
    ...more,
  };
}

/** A draft of a transfer of one unit of the company's product. Returns its id. */
export async function transferOf(ids: Ids, make: SeededCompany['make']): Promise<number> {
  const lines = [{ product_id: ids.product, qty: 1 }];
  const between = { from_location_id: ids.main, to_location_id: ids.location };
  return (await make('commerce', 'POST', '/inventory/transfers', { ...between, lines })).id;
}

/** No API key may add one. Nothing is paid through it. */
async function addPaymentAccount({ server, shop, mark }: SeededCompany): Promise<number> {
  const secrets = { secret_key: `test_keyOfThe${mark}`, webhook_secrets: [] };
  const [row] = await server.rows<{ id: string }>(
    `insert into payment_accounts
       (company_id, provider, mode, name, active, sealed_config, webhook_token, created_at, updated_at)
     values ($1, 'mollie', 'test', $2, true, $3, $4, now(), now()) returning id`,
    [shop.company_id, mark, sealSecrets(server.app.masterKey, secrets), newWebhookToken()],
  );
  return Number(row!.id);
}

/** A service would save it with a payment. Returns its id. */
export async function saveMethod({ server, shop, ids, mark }: SeededCompany): Promise<number> {
  const token = server.app.masterKey.seal(`cst_${mark}/mdt_${mark}`).toString('base64');
  const [row] = await server.rows<{ id: string }>(
    `insert into saved_payment_methods (company_id, customer_id, payment_id, method_id, account_id, provider, sealed_token, label,
       brand, last4, expires_on, created_at)
     values ($1, $2, nextval('payments_id_seq'), $3, $4, 'mollie', $5, $6, 'Visa', '4242', '2099-12-31', now()) returning id`,
    [shop.company_id, ids.customer, ids.online_method, ids.payment_account, token, `${mark} Visa`],
  );
  return Number(row!.id);
}

async function addPicture({ server, shop }: SeededCompany): Promise<number> {
  const headers = { 'x-api-key': shop.key, 'content-type': 'image/png' };
  const { body } = await server.request('POST', '/commerce/v1/media', {
    headers,
    raw: await drawn(8, 8, { colour: '#0b1c2d' }),
  });
  return body.data.id;
}

async function seedShop(company: SeededCompany): Promise<void> {
  const { make, ids, mark, shop } = company;
  ids.picture = await addPicture(company);
  const zone = { name: `${mark} zone`, countries: ['DE'] };
  ids.zone = (await make('commerce', 'POST', '/shipping-zones', zone)).id;
  const method = { zone_id: ids.zone, name: `${mark} post`, type: 'flat', cost: 4.9 };
  ids.method = (await make('commerce', 'POST', '/shipping-methods', method)).id;
  for (const { resource, body } of RECIPES.filter(({ plain }) => plain))
    ids[resource] = (await make('commerce', 'POST', `/${resource}`, body(ids, mark))).id;
  const transfer = { kind: 'bank_transfer', name: `${mark} transfer` };
  ids.payment_method = (await make('commerce', 'POST', '/payment-methods', transfer)).id;
  ids.payment_account = await addPaymentAccount(company);
  const online = { provider: 'mollie', kind: 'any', name: `${mark} online`, account_id: ids.payment_account };
  ids.online_method = (await make('commerce', 'POST', '/payment-methods', online)).id;
  ids.location = (await make('commerce', 'POST', '/locations', { name: `${mark} store` })).id;
  ids.main = (await shop.commerce('GET', '/locations')).body.data[0].id;
  ids.slug = `${mark}-mug`;
  ids.category = `${mark}-mugs`;
  const product = { name: `${mark} mug`, slug: ids.slug, sku: mark, price: 12.5, stock_qty: 1_000 };
  const kinds = { subscription_enabled: true, categories: [ids.category] };
  ids.product = (await make('commerce', 'POST', '/products', { ...product, ...kinds })).id;
  ids.transfer = await transferOf(ids, make);
  const receipt = { location_id: ids.location, supplier: mark, lines: [{ product_id: ids.product, qty: 1 }] };
  ids.receipt = (await make('commerce', 'POST', '/inventory/receipts', receipt)).id;
  const customer = { email: `customer@${mark}.example.com`, first_name: mark, last_name: mark, ...ADDRESS };
  ids.customer = (await make('commerce', 'POST', '/customers', { ...customer, password: `${mark} password` })).id;
  ids.twin = (await make('commerce', 'POST', '/customers', { email: `twin@${mark}.example.com` })).id;
  ids.saved_method = await saveMethod(company);
  ids.code = `${mark}10`;
  ids.single = (await make('commerce', 'POST', '/products', { name: `${mark} single`, price: 4 })).id;
  ids.parent = (await make('commerce', 'POST', '/products', parentOf(`${mark} shirt`))).id;
  ids.collection = (await make('commerce', 'POST', '/collections', { name: `${mark} picks`, kind: 'manual' })).id;
  await make('commerce', 'PUT', `/collections/${ids.collection}/products`, { product_ids: [ids.product] });
  const promo = { code: ids.code, type: 'percent', value: 10, scope: 'products', product_ids: [ids.product] };
  ids.promo = (await make('commerce', 'POST', '/promo-codes', promo)).id;
  const coupons = { code: `${mark}_FOR_YOU`, type: 'percent', value: 10, is_template: true };
  ids.coupons = (await make('commerce', 'POST', '/promo-codes', coupons)).id;
  await make('commerce', 'POST', `/promo-codes/${ids.coupons}/coupons`, { count: 2 });
  const placed = { ...orderOf(ids), promo_code: ids.code, external_id: mark };
  const order = await make('commerce', 'POST', '/orders', placed);
  ids.order = order.id;
  ids.order_line = order.items[0].id;
  const money = { method_id: ids.payment_method, amount: 1, reference: mark };
  ids.payment = (await make('commerce', 'POST', `/orders/${ids.order}/payments`, money)).id;
  await make('commerce', 'POST', `/orders/${ids.order}/refunds`, { amount: 0.5, reason: mark });
  ids.cart = (await make('commerce', 'POST', '/carts', cartOf(ids))).id;
  ids.import = await importOf(make, mark);
  await make('commerce', 'POST', `/imports/${ids.import}/check`, {});
  ids.subscription = await subscriptionOf(ids, make);
  await make('commerce', 'POST', `/customers/${ids.customer}/loyalty/adjust`, { points: 50, reason: mark });
  ids.customer_note = (await make('commerce', 'POST', `/customers/${ids.customer}/notes`, { text: mark })).id;
  ids.order_note = (await make('commerce', 'POST', `/orders/${ids.order}/notes`, { text: mark })).id;
}

/** With one line, whose id is 1. */
export function cartOf(ids: Ids): Record<string, unknown> {
  return { customer_id: ids.customer, lines: [{ product_id: ids.product, qty: 1 }], ...ADDRESS };
}

/** A product with one variant, of two that are possible. */
export function parentOf(name: string): Record<string, unknown> {
  return {
    name,
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: [{ options: [{ name: 'Size', value: 'S' }], price: 5, stock_qty: 3 }],
  };
}

export function orderOf({ customer, product }: Ids): object {
  return { customer_id: customer, items: [{ product_id: product, qty: 1 }], ...ADDRESS, metadata: { note: 'a gift' } };
}

/** An import whose file has been uploaded. Returns its id. */
export async function importOf(make: SeededCompany['make'], mark: string): Promise<number> {
  const { id } = await make('commerce', 'POST', '/imports', { format: 'csv-contacts', file_name: `${mark}.csv` });
  const data = Buffer.from(`email,consent\n${mark}@import.example.com,never\n`).toString('base64');
  await make('commerce', 'POST', `/imports/${id}/chunks`, { n: 0, data });
  return id;
}

/** Returns its id. */
export async function subscriptionOf(ids: Ids, make: SeededCompany['make']): Promise<number> {
  const body = { customer_id: ids.customer, product_id: ids.product, frequency_id: 3 };
  return (await make('commerce', 'POST', '/subscriptions', body)).id;
}

/** Creates what results from all of it, and records that only a failure creates. */
async function seedHistory(company: SeededCompany): Promise<void> {
  const { make, ids, server, mark } = company;
  ids.run = (await make('marketing', 'GET', `/flows/${ids.flow}/runs`)).runs[0].run_id;
  ids.message = (await make('marketing', 'GET', `/messages?flow_id=${ids.flow}`)).messages[0].message_id;
  ids.mail = (await make('marketing', 'GET', '/mailbox')).messages[0].id;
  ids.notification = (await make('marketing', 'GET', '/flows/notifications')).notifications[0].notification_id;
  const deliveries = await make('marketing', 'GET', `/webhook-endpoints/${ids.endpoint}/deliveries`);
  ids.delivery = deliveries.deliveries[0].delivery_id;
  await server.rows("update webhook_deliveries set status = 'failed', error = $2, finished_at = now() where id = $1", [
    ids.delivery,
    mark,
  ]);
  ids.refusal = await refusalOf(company);
}

/** A shop event that the marketing side refused; returns its id. What the APIs accept is never refused, so it is inserted. */
export async function refusalOf({ server, shop, mark }: SeededCompany): Promise<number> {
  const payload = { email: `refused@${mark}.example.com`, first_name: mark, last_name: mark };
  const [row] = await server.rows<{ id: string }>(
    `insert into outbox_refusals (company_id, id, topic, payload, reason, occurred_at, refused_at)
     values ($1, nextval(pg_get_serial_sequence('outbox', 'id')), 'customer_created', $2, $3, $4, $4) returning id`,
    [shop.company_id, payload, mark, server.clock.now()],
  );
  return Number(row!.id);
}
