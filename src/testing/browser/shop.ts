import type { TestBody, TestCompany, TestServer } from '../harness.ts';

const LONG = 'Wilhelmina Konstantinopolitanskaya-Featherstonehaugh';

/** A shop with what tests a layout: long names, large amounts, several states. Gives the ids of its orders. */
export async function fillShop(shop: TestCompany): Promise<number[]> {
  const made = async (path: string, body: object): Promise<number> => {
    const response = await shop.commerce('POST', path, body);
    if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    return response.body.data.id as number;
  };
  const [first, last] = LONG.split(' ');
  const customer = await made('/customers', { email: 'wilhelmina@example.com', first_name: first, last_name: last });
  const plain = await made('/products', {
    name: 'Sencha, first flush, in a tin that is handmade in Kyoto by the seventh generation of one family',
    price: 1_250,
    stock_qty: 500,
    sku: 'SENCHA-FIRST-FLUSH-TIN-0001',
    categories: ['tea'],
  });
  await made('/products', { name: 'Whisk', price: 19.9, stock_qty: 0 });
  const store = await made('/locations', { name: LONG });
  const main = (await shop.commerce('GET', '/locations')).body.data[0].id;
  const lines = [{ product_id: plain, qty: 3 }];
  await made('/inventory/transfers', { from_location_id: main, to_location_id: store, note: LONG, lines });
  await made('/inventory/receipts', { location_id: store, supplier: LONG, lines });
  const zone = await made('/shipping-zones', { name: 'Everywhere' });
  await made('/shipping-methods', { zone_id: zone, name: 'Standard', type: 'free_over', cost: 4.9, free_over: 50 });
  const transfer = await made('/payment-methods', {
    kind: 'bank_transfer',
    name: 'Bank transfer',
    description: LONG,
    max_total: 2_500,
  });
  await made('/payment-methods', { kind: 'cash', name: LONG, staff_only: true, active: false });
  await made('/tax-rules', { name: 'VAT NL 21 %', country: 'NL', rate: 0.21 });
  await made('/media', { kind: 'link', url: 'https://video.example/first', title: 'First things first' });
  await made('/custom-fields', {
    on: 'product',
    key: 'material',
    name: 'Material',
    type: 'text',
    rules: { max_length: 80 },
  });
  const picks = await made('/collections', { name: 'First things first', kind: 'manual' });
  await shop.commerce('PUT', `/collections/${picks}/products`, { product_ids: [plain] });
  await made('/promo-codes', { code: 'WELCOME10', type: 'percent', value: 10, usage_limit: 1_000 });
  const subscribed = await made('/products', {
    name: 'Matcha, monthly',
    price: 24,
    stock_qty: 50,
    subscription_enabled: true,
  });
  const { body } = await shop.commerce('GET', '/subscription-frequencies');
  await made('/subscriptions', {
    customer_id: customer,
    product_id: subscribed,
    frequency_id: body.data[0].id,
    quantity: 2,
    shipping_address: '12 Long Lane',
    shipping_city: 'Amsterdam',
    shipping_zip: '1016 EK',
    shipping_country: 'NL',
  });
  const orders: number[] = [];
  for (let qty = 8; qty > 0; qty--) {
    orders.push(
      await made('/orders', {
        customer_id: customer,
        items: [{ product_id: plain, qty }],
        shipping_address: '12 Long Lane',
        shipping_city: 'Amsterdam',
        shipping_zip: '1016 EK',
        shipping_country: 'NL',
      }),
    );
  }
  await made(`/orders/${orders[0]}/payments`, { method_id: transfer, amount: 20_000.5, reference: LONG });
  const [{ id: line }] = (await shop.commerce('GET', `/orders/${orders[0]}`)).body.data.items;
  await made(`/orders/${orders[0]}/refunds`, { lines: [{ line_id: line, qty: 2 }], reason: LONG });
  const cart = await made('/carts', {
    email: `${LONG.replace(/\s/g, '.').toLowerCase()}@example.com`,
    lines: [{ product_id: plain, qty: 3, price_override: 1_100, override_reason: LONG }],
    promo_code: 'GONE',
  });
  await shop.commerce('POST', `/carts/${cart}/lines`, { lines: [{ product_id: subscribed, qty: 1 }] });
  const file = await made('/imports', { format: 'mailchimp', file_name: 'audience-export-of-the-year.csv' });
  const text = `Email Address,First Name,Favourite Colour\nwilhelmina@example.com,${first},${LONG}\n`;
  const data = Buffer.from(text).toString('base64');
  await shop.commerce('POST', `/imports/${file}/chunks`, { n: 0, data });
  await shop.marketing('POST', '/events', {
    event_type: 'product_viewed',
    event_data: { email: 'wilhelmina@example.com', product_id: String(plain), product_name: LONG },
  });
  return orders;
}

/** An event, and an e-mail and an SMS that the built-in mailbox caught. */
export async function fillMarketing(server: TestServer, shop: TestCompany): Promise<void> {
  await shop.marketing('POST', '/event-types', { event_type: 'wishlist-shared' });
  await shop.marketing('POST', '/events', {
    event_type: 'wishlist-shared',
    event_data: { email: 'wilhelmina@example.com', wishlist: { name: 'Birthday', items: [1, 2, 3] } },
  });
  const made = async (path: string, body: object): Promise<TestBody> => {
    const response = await shop.marketing('POST', path, body);
    if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const { list_id } = await made('/lists', { name: `Friends of ${LONG}`, double_opt_in: true });
  await made('/segments', {
    name: 'Regulars',
    conditions: {
      operator: 'or',
      rules: [
        {
          field: 'events.order_placed.count',
          comparison: 'greater_than_or_equal',
          value: 2,
          within_days: 90,
          where: { rules: [{ field: 'items.categories', comparison: 'in', value: ['tea', LONG] }] },
        },
        {
          rules: [
            { field: 'list_ids', comparison: 'equals', value: list_id },
            { field: 'email', comparison: 'exists', note: 'Only JSON shows this one' },
            { field: 'created_at', comparison: 'between', value: ['2026-01-01', '2026-12-31'] },
          ],
        },
      ],
    },
  });
  await made('/segments', { name: 'Everybody', conditions: { rules: [] } });
  await server.rows(
    `insert into segment_counts (company_id, segment_id, day, n)
     select $1, 1, '2026-03-01'::date + i, 100 + i * i from generate_series(0, 13) i`,
    [shop.company_id],
  );
  await made('/forms', {
    name: 'Newsletter',
    list_ids: [list_id],
    allowed_origins: ['https://shop.example'],
    fields: [
      { name: 'first_name', required: true },
      { name: 'properties.birthday', label: 'Birthday' },
    ],
  });
  const content = '<h1>Hello {{ contact.first_name }}</h1><p>Your order is on its way.</p>';
  const { template_id } = await made('/templates', { name: 'Order', subject: 'Your order', content });
  await made('/campaigns', { name: 'Spring', type: 'email', subject: 'Spring', content, list_id });
  await made('/flows', {
    name: 'After the order',
    trigger_type: 'order_placed',
    steps: [
      { step_id: 'mail', type: 'send_email', name: 'Thank you', config: { subject: 'Thank you', content } },
      {
        step_id: 'which',
        type: 'split',
        config: {
          variants: [
            { key: 'a', weight: 1 },
            { key: 'b', weight: 1 },
          ],
        },
      },
      { step_id: 'tag', type: 'add_tag', config: { tag: LONG } },
      { step_id: 'more', type: 'send_email', config: { template_id } },
    ],
    connections: [
      { from: 'trigger', to: 'mail' },
      { from: 'mail', to: 'which' },
      { from: 'which', to: 'tag', branch: 'a' },
      { from: 'which', to: 'more', branch: 'b' },
      { from: 'tag', to: 'more' },
    ],
  });
  await made('/webhook-endpoints', {
    url: 'https://warehouse.example.com/hooks/orders',
    event_types: ['order_placed'],
  });
  await made('/templates', {
    name: 'Spring in blocks',
    subject: 'Spring',
    design: {
      blocks: [
        { id: 'a', type: 'text', text: `Dear ${LONG}` },
        { id: 'b', type: 'button', text: 'To the shop', url: 'https://shop.example' },
      ],
    },
  });
  const { flow_id } = await made('/flows', {
    name: 'Viewed',
    trigger_type: 'product_viewed',
    steps: [
      { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
      { step_id: 'mail', type: 'send_email', config: { template_id } },
    ],
    connections: [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', to: 'mail' },
    ],
  });
  await shop.marketing('POST', `/flows/activate/${flow_id}`);
  await shop.marketing('POST', '/events', {
    event_type: 'product_viewed',
    event_data: { email: 'wilhelmina@example.com', product_id: '2', product_name: LONG },
  });
  // Those that are written below by hand are the first.
  await server.rows("select setval(pg_get_serial_sequence('messages', 'id'), 100)");
  const { campaign_id } = await made('/campaigns', {
    name: 'Summer',
    type: 'email',
    subject: 'Summer',
    content,
    segment_id: 2,
  });
  await shop.marketing('POST', `/campaigns/send/${campaign_id}`);
  const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
  await server.rows(
    `insert into mailbox_messages
       (company_id, id, channel, sender, recipient, subject, preview_text, html, text, headers, message_id, created_at)
     values
       ($1, 1, 'email', 'Rowan & Thistle <shop@example.com>', 'wilhelmina@example.com', 'Your order is on its way',
        'It left us this morning', $2, null, '{"List-Unsubscribe": "<https://shop.example/u/1>"}', '<1@example.com>', $3),
       ($1, 2, 'sms', '+31600000001', '+31600000002', null, null, null, 'Your parcel arrives today.', '{}', null, $3)`,
    [
      shop.company_id,
      `<!doctype html><html lang="en"><head><title>Order</title><style>body { font-family: sans-serif; margin: 32px }
       @media (prefers-color-scheme: dark) { body { background: #181818; color: #eee } }</style></head>
       <body><h1>On its way</h1><p>Hello Wilhelmina, your order left us this morning.</p></body></html>`,
      server.clock.now(),
    ],
  );
  await server.rows(
    `insert into messages (company_id, id, idem_key, channel, transactional, lane, recipient, status, due_at, origin,
       template, created_at, handed_over_at, ended_at)
     overriding system value
     values ($1, 1, 't:1', 'email', true, 0, 'wilhelmina@example.com', 'sent', $2, 'system', 'test', $2, $2, $2)`,
    [shop.company_id, server.clock.now()],
  );
}
