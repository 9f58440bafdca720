import { beforeAll, expect, test } from 'vitest';
import { settle } from '../../../erasure/markers.ts';
import { contactOf, flowMessages } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;
let shop: TestCompany;
let product_id: number;

beforeAll(async () => {
  shop = await server.company();
  product_id = (await shop.commerce('POST', '/products', { name: 'Mug', price: 19.99, stock_qty: 9 })).body.data.id;
});

async function messagesOf(contactId: number) {
  const { timeline } = (await shop.marketing('GET', `/contacts/${contactId}/timeline`)).body;
  return timeline
    .filter(({ type }: { type: string }) => type === 'message')
    .map(({ data }: { data: Record<string, unknown> }) => data);
}

test('a message has its subject, its opens, the links that were clicked and the orders that followed', async () => {
  const { id } = (await shop.commerce('POST', '/customers', { email: 'ann@example.com', accepts_marketing: true })).body
    .data;
  await settle(server);
  const [row] = await server.rows<{ id: string }>('select id from contacts where external_id = $1', [String(id)]);
  const contact = Number(row!.id);
  const content = '<a href="https://shop.example/a">A</a><a href="https://shop.example/b">B</a>';
  const { ids } = await flowMessages(server, shop, [contact], {
    step: { subject: 'Hi {{ contact.email }}', content },
  });
  await sender().runOnce();
  const { html } = (await shop.marketing('GET', `/mailbox/${ids[0]}`)).body;
  const paths: string[] = html
    .match(/http[^"]+\/t\/[oc]\/[^"]+/g)
    .map((link: string) => link.replace(server.origin, ''));
  for (const path of paths) await server.request('GET', path);
  server.clock.advance(60_000);
  for (const path of paths) await server.request('GET', path);
  const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
  const order = await shop.commerce('POST', '/orders', {
    customer_id: id,
    items: [{ product_id, qty: 1 }],
    ...address,
  });
  await settle(server);
  const { total } = order.body.data;
  const [message] = await messagesOf(contact);
  expect(message).toMatchObject({ message_id: ids[0], subject: 'Hi ann@example.com', status: 'sent' });
  expect(message!.title).toBe((await shop.marketing('GET', `/flows/${message!.flow_id}`)).body.name);
  const activity = message!.activity as Record<string, unknown>[];
  const of = (type: string) => activity.filter((one) => one.type === type);
  for (const type of ['opened', 'clicked']) {
    expect(of(type)).toEqual([{ type, at: expect.any(String), last_at: expect.any(String) }]);
    expect(of(type)[0]!.last_at).not.toBe(of(type)[0]!.at);
  }
  expect(of('link_clicked').map(({ url }) => url)).toEqual(['https://shop.example/a', 'https://shop.example/b']);
  expect(of('converted')).toEqual([
    {
      type: 'converted',
      at: expect.any(String),
      amount: total,
      currency: 'USD',
      order_id: String(order.body.data.id),
      source: 'shop',
    },
  ]);
  expect(String(total)).toMatch(/\.\d/);
});

test('a message that was is not in the mailbox has the subject of its step, campaign, variant or template', async () => {
  const contact = await contactOf(server, shop);
  const template = await shop.marketing('POST', '/templates', {
    name: 'News',
    channel: 'email',
    subject: 'From the template',
    content: '<p>Hi</p>',
  });
  const template_id = template.body.template_id;
  await flowMessages(server, shop, [contact], { step: { subject: 'From the step', content: '<p>Hi</p>' } });
  await flowMessages(server, shop, [contact], { step: { template_id } });
  const campaigns = [
    { subject: 'From the campaign', content: '<p>Hi</p>' },
    { template_id },
    { subject: 'Never sent', content: '<p>Hi</p>', variants: [{ key: 'a', weight: 1, subject: 'From the variant' }] },
  ];
  for (const fields of campaigns) {
    const list = await shop.marketing('POST', '/lists', { name: JSON.stringify(fields) });
    await shop.marketing('POST', `/lists/${list.body.list_id}/contacts`, { contact_ids: [contact] });
    const made = await shop.marketing('POST', '/campaigns', {
      name: 'News',
      type: 'email',
      list_id: list.body.list_id,
      ...fields,
    });
    expect(made.status).toBe(201);
    const started = await shop.marketing('POST', `/campaigns/send/${made.body.campaign_id}`);
    expect([started.status, started.body]).toEqual([200, expect.anything()]);
  }
  await settle(server);
  await server.rows('delete from mailbox_messages where company_id = $1', [shop.company_id]);
  const subjects = (await messagesOf(contact)).map(({ subject }: { subject: unknown }) => subject);
  expect(subjects.sort()).toEqual([
    'From the campaign',
    'From the step',
    'From the template',
    'From the template',
    'From the variant',
  ]);
});

test('entries of one kind are read page by page, and together they are all entries', async () => {
  const email = 'kinds@example.com';
  const list = await shop.marketing('POST', '/lists', { name: 'Kinds' });
  const made = await shop.marketing('POST', '/contacts', { email, list_ids: [list.body.list_id] });
  const contact: number = made.body.contact_id;
  for (const n of [1, 2, 3]) {
    const viewed = { email, product_id: `${n}`, product_name: `Mug ${n}` };
    await shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data: viewed });
    const placed = { email, order_id: `o${n}`, total: n };
    await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data: placed });
  }
  await flowMessages(server, shop, [contact], { step: { subject: 'Hi', content: '<p>Hi</p>' } });
  await settle(server);
  const read = async (kind?: string): Promise<{ type: string; data: Record<string, unknown> }[]> => {
    const entries = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const part = new URLSearchParams({ per_page: '2', ...(kind && { kind }), ...(cursor && { cursor }) });
      const { body } = await shop.marketing('GET', `/contacts/${contact}/timeline?${part}`);
      entries.push(...body.timeline);
      cursor = body.next_cursor;
    }
    return entries;
  };
  const all = await read();
  const [orders, events, messages, changes] = await Promise.all(['orders', 'events', 'messages', 'changes'].map(read));
  expect(orders!.map(({ data }) => data.event_type)).toEqual(['order_placed', 'order_placed', 'order_placed']);
  expect(events!.map(({ data }) => data.event_type).sort()).toEqual([
    'list_joined',
    ...['product_viewed', 'product_viewed', 'product_viewed'],
  ]);
  expect(messages!.map(({ type }) => type)).toEqual(['message']);
  expect(new Set(changes!.map(({ type }) => type))).toEqual(new Set(['list_changed']));
  const sorted = (entries: object[]) => entries.map((entry) => JSON.stringify(entry)).sort();
  expect(sorted([...orders!, ...events!, ...messages!, ...changes!])).toEqual(sorted(all));
  const wrong = await shop.marketing('GET', `/contacts/${contact}/timeline?kind=all`);
  expect([wrong.status, wrong.body.details?.[0]?.field]).toEqual([400, 'kind']);
});
