import { EXAMPLE_FIELDS } from './example-fields.ts';

/** The style of e-mails in designs and in the brand kit. */
const STYLE = { font: 'Georgia', background: '#f4f1ea', canvas: '#ffffff', text: '#222222', button: '#2f6f4e' };

/** Example values of one group of endpoints, where they differ from example-fields.ts. */
const BY_TAG: Record<string, Record<string, unknown>> = {
  Search: { image: 'https://shop.example.com/mug.jpg' },
  Loyalty: { reason: 'A mug arrived broken', points: 100 },
  Customers: { from: 42 },
  Passkeys: {
    id: 'q3bY7mJxT0uVfPz1cKdE8w',
    rawId: 'q3bY7mJxT0uVfPz1cKdE8w',
    name: 'Phone',
    token: 'tl_cust_Zk3v9Qw1tH7yB2nX5cR8mL4pS6dF0gJaKeUiOoTrEwQ',
    transports: ['internal'],
    options: { challenge: 'Zk3v9Qw1tH7yB2nX5cR8mL4pS6dF0gJaKeUiOoTrEwQ', rpId: 'shop.example.com' },
    clientExtensionResults: {},
    clientDataJSON:
      'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiWmszdjlRIiwib3JpZ2luIjoiaHR0cHM6Ly9zaG9wLmV4YW1wbGUuY29tIn0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
    attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4',
    signature: 'MEUCIQDtVbL2nT8m0yUqg5j1c9v4',
    userHandle: 'p2nX5cR8mL4pS6dF0gJaKe',
  },
  Notes: { text: 'Rings twice, then leave it with the neighbour', actor: 'admin:7', actor_name: 'Olivia' },
  'Promo codes': { value: 10 },
  Settings: { name: 'The mug shop', address: '12 Harbour Street\n3011 AB Rotterdam', tax_number: 'NL123456789B01' },
  Shipping: { name: 'Germany', type: 'flat' },
  Taxes: { name: 'VAT' },
  Collections: {
    name: 'Gifts under ten',
    slug: 'gifts-under-ten',
    description: 'Small things that please.',
    kind: 'rules',
    sort: 'price_asc',
    rules: { rules: [{ field: 'price', comparison: 'less_than', value: 10 }] },
  },
  Subscriptions: { reason: 'Too much tea', type: 'paused', message: 'Paused until 15 March' },
  Orders: { type: 'status', status: 'shipped', from: 'processing', to: 'shipped' },
  Retention: { kind: 'mailbox', removed_before: '2026-02-13 12:00:00', removed: 1_250 },
  Mailbox: { from: 'hello@shop.example.com', to: 'ada@example.com' },
  'Sending accounts': {
    name: 'Our SES',
    host: 'smtp.example.com',
    port: 587,
    password: 'correct-horse-battery-staple',
    region: 'eu-central-1',
    access_key: 'AKIAIOSFODNN7EXAMPLE',
    configuration_set: 'shop',
    message_stream: 'outbound',
    account_sid: 'AC0123456789abcdef0123456789abcdef',
    api_url: 'https://mail-api.example.com',
    secret_end: 'x9Qr',
    rate: 14,
    to: 'owner@example.com',
    notifications_url: 'https://tradeloom.example.com/marketing/bounces/ses/1',
    failure: '535 5.7.8 Authentication failed',
  },
  'Sending domains': {
    domain: 'shop.example.com',
    name: 'tl5f2c81aa._domainkey.shop.example.com',
    value: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA',
    found: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA',
  },
  'Sending settings': { public_key: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA' },
  'Outgoing webhooks': {
    url: 'https://erp.example.com/tradeloom',
    description: 'The warehouse',
    message_id: 'msg_2KxT',
    secret: 'whsec_…',
    entity: 'order',
    disabled_reason: 'No delivery succeeded for five days',
  },
  Contacts: { field: 'email', message: 'email must be a valid e-mail address', error: 'validation_failed' },
  Imports: {
    format: 'csv-contacts',
    file_name: 'people.csv',
    status: 'checked',
    name: 'mailchimp',
    title: 'Mailchimp audience',
    header: ['E-mail', 'First name', 'Tags'],
    mapping: ['email', 'first_name', 'tags'],
    n: 0,
    email_consent: 'never',
    sample: [['ada@example.com', 'Ada', 'green']],
    data: 'ZW1haWwKYWRhQGV4YW1wbGUuY29tCg==',
    column: 'E-mail',
    field: 'email',
    row: 4,
    reason: '«ada@example» is no e-mail address',
    cells: ['ada@example', 'Ada', 'green'],
  },
  Lists: { name: 'Newsletter', description: 'Once a month' },
  Forms: {
    look: {
      title: 'Letters from the mug shop',
      text: 'Once a month, with what came out of the kiln.',
      button: 'Sign me up',
      color: '#1a56db',
      logo_url: 'https://shop.example.com/logo.png',
    },
    name: 'Newsletter in the footer',
    fields: [{ name: 'first_name', label: 'First name', required: true }],
    success_text: 'Thank you. Please confirm by the link that we sent you.',
    public_id: 'k3v9x2',
    embed: '<script async src="https://shop.example.com/f/k3v9x2.js"></script>',
  },
  Segments: { name: 'Customers of last month', path: 'rules.0', value: 3 },
  Flows: {
    from: 'wait',
    date_field: 'contact.properties.birthday',
    to: 'send_welcome',
    name: 'Welcome',
    library_name: 'welcome',
    kind: 'enrol',
    message: 'The step send_welcome has no template',
    same: 'reached',
    status: 'active',
    branch: 'default',
    field: 'cart_total',
    comparison: 'greater_than',
    value: 50,
    found: [80],
    comment: 'Agreed with the shop',
    steps: [
      { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
      { step_id: 'send_welcome', type: 'send_email', config: { subject: 'Welcome', content: '<p>Hello</p>' } },
    ],
    connections: [{ from: 'wait', to: 'send_welcome' }],
  },
  Campaigns: {
    name: 'Spring sale',
    suggestion: 'contact.first_name',
    subject: 'Ten percent until Sunday',
    status: 'sent',
    from: 'hello@shop.example.com',
  },
  Templates: {
    name: 'Order shipped',
    suggestion: 'contact.first_name',
    design: {
      version: 1,
      style: STYLE,
      blocks: [
        { id: 'b1', type: 'text', style: 'heading', text: 'Hello {{ contact.first_name | default: "there" }}' },
        { id: 'b2', type: 'button', text: 'See your order', url: 'https://shop.example.com/orders' },
        { id: 'b3', type: 'footer', address: '12 Harbour Street, 3011 AB Rotterdam', unsubscribe: 'Unsubscribe' },
      ],
    },
    style: STYLE,
    logo_url: 'https://shop.example.com/logo.png',
    website_url: 'https://shop.example.com/',
    product_url: 'https://shop.example.com/p/{slug}',
    address: '12 Harbour Street, 3011 AB Rotterdam',
    social_links: [{ network: 'instagram', url: 'https://instagram.com/the.mug.shop' }],
  },
  Events: { message: 'event_data.email is required' },
  Webhook: { message: 'event_data.email is required' },
  Suppressions: { hash: '9f86d081884c7d65', message_id: '<k3v9x2@shop.example.com>' },
  SMS: {
    From: '+4915112345678',
    To: '+4930901821',
    Body: 'STOP',
    MessageSid: 'SM0123456789abcdef0123456789abcdef',
    OptOutType: 'STOP',
    MessageStatus: 'delivered',
    ErrorCode: '30005',
  },
};

/** Optional fields that exclude each other, or that few requests need. */
const OMITTED: Record<string, string[]> = {
  Campaigns: ['template_id', 'segment_id', 'variants', 'ab_test'],
  Flows: ['trigger_conditions', 'trigger_settings', 'draft', 'moves'],
  Templates: ['design'],
  // Only one provider is set at a time.
  'Sending accounts': ['ses', 'sendgrid', 'postmark', 'mailgun', 'twilio'],
};

/** Inputs for the examples of a group of endpoints. */
export interface ExampleValues {
  /** Example values by field name. */
  values: Record<string, unknown>;
  /** Optional fields of request bodies that the example leaves out. */
  omitted: readonly string[];
}

export function exampleValuesOf(tag: string): ExampleValues {
  return { values: { ...EXAMPLE_FIELDS, ...BY_TAG[tag] }, omitted: OMITTED[tag] ?? [] };
}
