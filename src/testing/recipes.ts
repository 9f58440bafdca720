/** One of the two APIs. */
export type Side = 'commerce' | 'marketing';

/** Ids by the first word of the resource's paths, or by the parameter's name where that is not `id`. */
export type Ids = Record<string, number | string>;

interface Recipe {
  side: Side;
  /** First word of the resource's paths, to which the body is posted. */
  resource: string;
  /** `mark` is a word that occurs in no other company's records. */
  body: (ids: Ids, mark: string) => object;
  /** Its only endpoints list, read, create, change and delete it: the walk over two companies derives their requests. */
  plain?: true;
}

const ADDRESS = {
  shipping_address: 'Unter den Linden 1',
  shipping_city: 'Berlin',
  shipping_zip: '10117',
  shipping_country: 'DE',
};

/** In the order of their dependencies. */
export const RECIPES: Recipe[] = [
  {
    side: 'commerce',
    resource: 'products',
    body: (_ids, mark) => ({ name: `${mark} mug`, price: 12.5, stock_qty: 100, subscription_enabled: true }),
  },
  { side: 'commerce', resource: 'categories', body: (_ids, mark) => ({ name: `${mark} category` }) },
  {
    side: 'commerce',
    resource: 'collections',
    body: (_ids, mark) => ({ name: `${mark} collection`, kind: 'manual' }),
  },
  {
    side: 'commerce',
    resource: 'custom-fields',
    plain: true,
    body: (_ids, mark) => ({
      on: 'product',
      key: `m_${mark.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`,
      name: mark,
      type: 'text',
    }),
  },
  {
    side: 'commerce',
    resource: 'customers',
    body: (_ids, mark) => ({ email: `${mark}@example.com`, first_name: mark, ...ADDRESS }),
  },
  {
    side: 'commerce',
    resource: 'imports',
    body: (_ids, mark) => ({ format: 'csv-contacts', file_name: `${mark}.csv` }),
  },
  {
    side: 'commerce',
    resource: 'carts',
    body: (ids, mark) => ({
      customer_id: ids.customers,
      lines: [{ product_id: ids.products, qty: 1 }],
      ...ADDRESS,
      shipping_address: `${mark} street 1`,
    }),
  },
  {
    side: 'commerce',
    resource: 'orders',
    body: (ids, mark) => ({
      customer_id: ids.customers,
      items: [{ product_id: ids.products, qty: 1 }],
      ...ADDRESS,
      shipping_address: `${mark} street 1`,
    }),
  },
  {
    side: 'commerce',
    resource: 'subscriptions',
    body: (ids) => ({ customer_id: ids.customers, product_id: ids.products, frequency_id: 3, ...ADDRESS }),
  },
  {
    side: 'commerce',
    resource: 'promo-codes',
    body: (ids, mark) => ({
      code: `${mark}10`,
      type: 'percent',
      value: 10,
      scope: 'products',
      product_ids: [ids.products],
    }),
  },
  {
    side: 'commerce',
    resource: 'shipping-zones',
    body: (_ids, mark) => ({ name: `${mark} zone`, countries: ['DE'] }),
  },
  {
    side: 'commerce',
    resource: 'shipping-methods',
    body: (ids, mark) => ({ zone_id: ids['shipping-zones'], name: `${mark} post`, type: 'flat', cost: 4.9 }),
  },
  {
    side: 'commerce',
    resource: 'payment-methods',
    body: (_ids, mark) => ({ kind: 'bank_transfer', name: `${mark} transfer` }),
  },
  {
    side: 'commerce',
    resource: 'subscription-frequencies',
    plain: true,
    body: (_ids, mark) => ({ name: `${mark} weeks`, unit: 'week', interval: 6 }),
  },
  {
    side: 'commerce',
    resource: 'tax-rules',
    plain: true,
    body: (_ids, mark) => ({ name: `${mark} tax`, country: 'DE', rate: 0.19 }),
  },
  {
    side: 'commerce',
    resource: 'media',
    plain: true,
    body: (_ids, mark) => ({ kind: 'link', url: `https://video.example/${encodeURIComponent(mark)}`, title: mark }),
  },
  {
    side: 'commerce',
    resource: 'locations',
    body: (_ids, mark) => ({ name: `${mark} store`, city: 'Berlin' }),
  },
  { side: 'marketing', resource: 'lists', body: (_ids, mark) => ({ name: `${mark} list` }) },
  { side: 'marketing', resource: 'forms', body: (ids, mark) => ({ name: `${mark} form`, list_ids: [ids.lists] }) },
  {
    side: 'marketing',
    resource: 'campaigns',
    body: (_ids, mark) => ({ name: `${mark} campaign`, type: 'email', subject: mark, content: mark }),
  },
  {
    side: 'marketing',
    resource: 'contacts',
    body: (ids, mark) => ({ email: `contact-${mark}@example.com`, first_name: mark, list_ids: [ids.lists] }),
  },
  { side: 'marketing', resource: 'event-types', body: (_ids, mark) => ({ event_type: `${mark}_sneezed` }) },
  {
    side: 'marketing',
    resource: 'flows',
    body: (_ids, mark) => ({
      name: `${mark} flow`,
      trigger_type: `${mark}_sneezed`,
      status: 'active',
      steps: [
        { step_id: 'mail', type: 'send_email', config: { subject: `Hello ${mark}`, content: '<p>Bless you</p>' } },
        { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
      ],
      connections: [
        { from: 'trigger', to: 'mail' },
        { from: 'mail', to: 'wait' },
      ],
    }),
  },
  {
    side: 'marketing',
    resource: 'templates',
    body: (_ids, mark) => ({ name: `${mark} template`, subject: 'Hello', content: `<p>${mark}</p>` }),
  },
  {
    side: 'marketing',
    resource: 'segments',
    body: (_ids, mark) => ({
      name: `${mark} segment`,
      conditions: { operator: 'and', rules: [{ field: 'first_name', comparison: 'equals', value: mark }] },
    }),
  },
  {
    side: 'marketing',
    resource: 'campaigns',
    body: (ids, mark) => ({
      name: `${mark} campaign`,
      type: 'email',
      subject: `News of ${mark}`,
      content: '<p>News</p>',
      list_id: ids.lists,
    }),
  },
  {
    side: 'marketing',
    resource: 'webhook-endpoints',
    body: (_ids, mark) => ({ url: `https://${mark}.example.com/hook` }),
  },
  {
    side: 'marketing',
    resource: 'sending-domains',
    body: (_ids, mark) => ({ domain: `${mark}.example.com` }),
  },
  {
    side: 'marketing',
    resource: 'sending-accounts',
    body: (_ids, mark) => ({ name: mark, postmark: { server_token: 'a-server-token-of-postmark' } }),
  },
];
