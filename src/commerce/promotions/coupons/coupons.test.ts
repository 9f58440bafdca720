import { beforeAll, describe, expect, test } from 'vitest';
import { step } from '../../../marketing/flows/definition/testing-graphs.ts';
import { activeFlow, runsOf, track, work } from '../../../marketing/flows/testing/flows.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
const DAY_MS = 86_400_000;
let shop: TestCompany;
let product: TestBody;
let customer: TestBody;
let made = 0;

beforeAll(async () => {
  shop = await server.company();
  product = (await shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 999 })).body.data!;
  customer = (await shop.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!;
});

async function template(fields: object = {}, company = shop): Promise<TestBody> {
  const input = { code: `SPRING_${++made}`, type: 'percent', value: 10, is_template: true, ...fields };
  const { status, body } = await company.commerce('POST', '/promo-codes', input);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data!;
}

async function coupons(id: unknown, count: number): Promise<string[]> {
  const { status, body } = await shop.commerce('POST', `/promo-codes/${id}/coupons`, { count });
  expect(status, JSON.stringify(body)).toBe(201);
  return (body.data as unknown as { codes: string[] }).codes;
}

function order(promo_code: string) {
  return shop.commerce('POST', '/orders', {
    customer_id: customer.id,
    items: [{ product_id: product.id, qty: 2 }],
    promo_code,
    shipping_country: 'US',
    shipping_address: '1 Main St',
    shipping_city: 'LA',
    shipping_zip: '90010',
  });
}

const reasonOf = (body: TestBody) => (body.error!.details as unknown as { reason: string }).reason;

describe('a template of coupons', () => {
  test('cannot be used itself; its coupons can, once each, in any case', async () => {
    const { id, code } = await template();
    const refused = await order(String(code));
    expect([refused.status, reasonOf(refused.body)]).toEqual([422, 'promo_not_found']);
    const [first, second] = await coupons(id, 2);
    expect(first).toMatch(new RegExp(`^${code}(-[ACDEFHJKLMNPRTWX]{4}){3}$`));
    const placed = await order(first!.toLowerCase());
    expect([placed.status, placed.body.data!.discount]).toEqual([201, 2]);
    const again = await order(first!);
    expect(reasonOf(again.body)).toBe('promo_usage_limit');
    // A cancelled order returns the use.
    await shop.commerce('PATCH', `/orders/${placed.body.data!.id}/status`, { status: 'cancelled' });
    expect((await order(first!)).status).toBe(201);
    expect((await order(second!)).status).toBe(201);
  });

  test('gives one coupon to one of many orders that are placed at the same time', async () => {
    const [code] = await coupons((await template()).id, 1);
    const responses = await Promise.all(Array.from({ length: 8 }, () => order(code!)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('lists its coupons, which are in no other list', async () => {
    const { id, code } = await template();
    const codes = await coupons(id, 30);
    expect(new Set(codes).size).toBe(30);
    await order(codes[0]!);
    const list = async (query: string) => (await shop.commerce('GET', `/promo-codes/${id}/coupons?${query}`)).body;
    const all = await list('per_page=100');
    expect((all.data as unknown as { code: string }[]).map((one) => one.code).sort()).toEqual([...codes].sort());
    const used = await list('used=true');
    expect(used.data).toMatchObject([{ code: codes[0], used: true, ends_at: null }]);
    const { body } = await shop.commerce('GET', '/promo-codes?per_page=100');
    const listed = (body.data as unknown as { code: string }[]).map((one) => one.code);
    expect(listed).toContain(code);
    expect(listed.some((one) => codes.includes(one))).toBe(false);
    const { body: found } = await shop.commerce('GET', `/promo-codes?code=${codes[3]}`);
    expect(found.data).toMatchObject([{ code: codes[3], template_id: id, usage_limit: 1, is_template: false }]);
  });

  test('ends its coupons after valid_days, and not after its own end', async () => {
    const now = server.clock.now().getTime();
    const ends_at = new Date(now + 3 * DAY_MS).toISOString();
    const endOf = async (fields: object) => {
      const [code] = await coupons((await template(fields)).id, 1);
      return (await shop.commerce('GET', `/promo-codes?code=${code}`)).body.data as unknown as { ends_at: string }[];
    };
    expect(await endOf({ valid_days: 14 })).toMatchObject([{ ends_at: new Date(now + 14 * DAY_MS).toISOString() }]);
    expect(await endOf({ valid_days: 14, ends_at })).toMatchObject([{ ends_at }]);
  });

  test('has a code of letters and digits, stays a template, and cannot be deleted while it has coupons', async () => {
    const refused = async (method: string, path: string, body?: object) => {
      const response = await shop.commerce(method, path, body);
      expect(response.status).toBe(422);
      return response.body.error!.details!.fields as unknown as { field: string; code: string }[];
    };
    const terms = { type: 'percent', value: 10 };
    for (const code of ['SPRING-26', '1SPRING', 'ÄPFEL']) {
      const fields = await refused('POST', '/promo-codes', { ...terms, code, is_template: true });
      expect(fields[0]).toMatchObject({ field: 'code' });
    }
    const days = await refused('POST', '/promo-codes', { ...terms, code: 'PLAIN', valid_days: 3 });
    expect(days).toMatchObject([{ field: 'valid_days', code: 'not_allowed' }]);
    const { id } = await template();
    await coupons(id, 1);
    expect(await refused('PATCH', `/promo-codes/${id}`, { is_template: false })).toMatchObject([
      { field: 'is_template' },
    ]);
    expect(await refused('DELETE', `/promo-codes/${id}`)).toMatchObject([{ field: 'id', code: 'in_use' }]);
    const plain = (await shop.commerce('POST', '/promo-codes', { ...terms, code: 'PLAIN' })).body.data!;
    expect((await shop.commerce('POST', `/promo-codes/${plain.id}/coupons`, { count: 1 })).status).toBe(404);
  });
});

describe('a message', () => {
  async function sendTo(contacts: number[], content: string) {
    const { body: list } = await shop.marketing('POST', '/lists', { name: `List ${++made}` });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
    const { body: campaign } = await shop.marketing('POST', '/campaigns', {
      name: 'C',
      type: 'email',
      subject: 'For you',
      content,
      list_id: list.list_id,
    });
    const response = await shop.marketing('POST', `/campaigns/send/${campaign.campaign_id}`);
    return { campaign: campaign.campaign_id as number, response };
  }
  const run = async () => {
    for (const name of ['campaigns', 'sender']) {
      const worker = server.app.workers.find((one) => one.name === name)!;
      while ((await worker.runOnce()) > 0);
    }
  };
  const codeIn = (html: string): string => /SPRING_\d+(-[A-Z]{4}){3}/.exec(html)![0];
  const mailTo = async (contact: number) => {
    const { body } = await shop.marketing('GET', `/contacts/${contact}`);
    const { body: mail } = await shop.marketing('GET', `/mailbox/latest?to=${encodeURIComponent(body.email)}`);
    return mail.html as string;
  };

  test('of a campaign gives each recipient a coupon of their own, which an order can use', async () => {
    const { id, code } = await template();
    const contacts = await Promise.all([1, 2, 3].map(() => contactOf(server, shop)));
    const { response } = await sendTo(contacts, `<p>{{ coupon.${String(code).toLowerCase()} }}</p>`);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    await run();
    const codes = await Promise.all(contacts.map(async (contact) => codeIn(await mailTo(contact))));
    expect(new Set(codes).size).toBe(3);
    expect((await order(codes[1]!)).status).toBe(201);
    const { body } = await shop.commerce('GET', `/promo-codes/${id}/coupons`);
    expect(body.meta!.pagination!.total).toBe(3);
  });

  test('is refused where the template does not exist, is over or is switched off', async () => {
    const contact = await contactOf(server, shop);
    const { id, code } = await template();
    const content = `<p>{{ coupon.${code} }}</p>`;
    await shop.commerce('PATCH', `/promo-codes/${id}`, { active: false });
    for (const text of ['<p>{{ coupon.NOBODY }}</p>', content]) {
      const { response } = await sendTo([contact], text);
      expect([response.status, response.body.details]).toMatchObject([
        400,
        [{ field: 'content', message: expect.stringContaining('coupon template') }],
      ]);
    }
    await shop.commerce('PATCH', `/promo-codes/${id}`, { active: true });
    const { campaign, response } = await sendTo([contact], content);
    expect(response.status).toBe(200);
    // The template is switched off between the campaign's start and the message.
    await shop.commerce('PATCH', `/promo-codes/${id}`, { active: false });
    await run();
    const { body } = await shop.marketing('GET', `/campaigns/${campaign}/recipients`);
    expect(body.recipients).toMatchObject([{ status: 'failed', reason: expect.stringContaining(String(code)) }]);
  });

  test('needs none for addresses and sentences that name coupons outside of Liquid', async () => {
    const contact = await contactOf(server, shop);
    const content =
      '<img src="https://cdn.example.com/coupon.png"><a href="https://coupon.example.com">Take a coupon.Use it</a>';
    const { response } = await sendTo([contact], content);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    await run();
    expect(await mailTo(contact)).toContain('coupon.png');
    const { body } = await shop.marketing('GET', `/contacts/${contact}`);
    const send = { subject: 'From a flow', content };
    const flow = await activeFlow(shop, [step('mail', 'send_email', send)]);
    await track(shop, body.email);
    await work(server);
    await run();
    expect(await runsOf(shop, flow.flow_id)).toMatchObject([{ status: 'completed' }]);
    const { body: mail } = await shop.marketing('GET', `/mailbox/latest?to=${encodeURIComponent(body.email)}`);
    expect(mail).toMatchObject({ subject: 'From a flow' });
  });

  test('in a preview and in a test shows a sample, and takes no coupon', async () => {
    const { id, code } = await template();
    const content = `<p>{{ coupon.${code} }}</p>`;
    const { body } = await shop.marketing('POST', '/templates/preview', { channel: 'email', content });
    expect(body.html).toContain(`${code}-XXXX-XXXX-XXXX`);
    const campaign = { name: 'C', type: 'email', subject: 'Hi', content };
    const { body: draft } = await shop.marketing('POST', '/campaigns', campaign);
    await shop.marketing('POST', `/campaigns/test/${draft.campaign_id}`, { recipients: ['me@example.com'] });
    await run();
    const { body: mail } = await shop.marketing('GET', '/mailbox/latest?to=me@example.com');
    expect(mail.html).toContain(`${code}-XXXX-XXXX-XXXX`);
    const { body: listed } = await shop.commerce('GET', `/promo-codes/${id}/coupons`);
    expect(listed.meta!.pagination!.total).toBe(0);
  });
});
