import { EXAMPLE_FIELDS } from './example-fields.ts';

/** Example values of one group of endpoints, where they differ from example-fields.ts. */
const BY_TAG: Record<string, Record<string, unknown>> = {
  Loyalty: { reason: 'A mug arrived broken', points: 100 },
  'Promo codes': { value: 10 },
  Settings: { name: 'The mug shop' },
  Shipping: { name: 'Germany', type: 'flat' },
  Taxes: { name: 'VAT' },
  Subscriptions: { reason: 'Too much tea', type: 'paused', message: 'Paused until 15 March' },
  Orders: { type: 'status', status: 'shipped', from: 'processing', to: 'shipped' },
  Mailbox: { from: 'hello@shop.example.com', to: 'ada@example.com' },
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
  Lists: { name: 'Newsletter', description: 'Once a month' },
  Forms: {
    name: 'Newsletter in the footer',
    fields: [{ name: 'first_name', label: 'First name', required: true }],
    success_text: 'Thank you. Please confirm by the link that we sent you.',
    public_id: 'k3v9x2',
    embed: '<script async src="https://shop.example.com/f/k3v9x2.js"></script>',
  },
  Segments: { name: 'Customers of last month' },
  Flows: {
    from: 'wait',
    to: 'send_welcome',
    name: 'Welcome',
    library_name: 'welcome',
    kind: 'enrol',
    message: 'The step send_welcome has no template',
    same: 'reached',
    status: 'active',
    steps: [
      { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
      { step_id: 'send_welcome', type: 'send_email', config: { subject: 'Welcome', content: '<p>Hello</p>' } },
    ],
    connections: [{ from: 'wait', to: 'send_welcome' }],
  },
  Campaigns: {
    name: 'Spring sale',
    subject: 'Ten percent until Sunday',
    status: 'sent',
    from: 'hello@shop.example.com',
  },
  Templates: { name: 'Order shipped' },
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

/** Optional fields that exclude another one, or that few requests need. */
const OMITTED: Record<string, string[]> = {
  Campaigns: ['template_id', 'segment_id', 'variants', 'ab_test'],
  Flows: ['trigger_conditions'],
};

/** What the examples of a group of endpoints are made from. */
export interface ExampleValues {
  /** What fields look like, by name. */
  values: Record<string, unknown>;
  /** Optional fields of request bodies that the example leaves out. */
  omitted: readonly string[];
}

export function exampleValuesOf(tag: string): ExampleValues {
  return { values: { ...EXAMPLE_FIELDS, ...BY_TAG[tag] }, omitted: OMITTED[tag] ?? [] };
}
