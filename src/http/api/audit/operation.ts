import type { Endpoint } from '../endpoint.ts';

/** A kind of records: its name in the log, and whose data it holds. */
interface Kind {
  noun: string;
  /**
   * `customer`, `contact`: the record is one. `customer_id`: the field that identifies its customer. `nobody`: it holds no data about the
   * shop's people. `several`: about people identified in other ways, so their values are not stored.
   */
  about: 'customer' | 'contact' | 'customer_id' | 'nobody' | 'several';
  /** Its names, rules and texts may contain addresses of people, which are not stored. */
  mayName?: boolean;
}

const nobody = (noun: string): Kind => ({ noun, about: 'nobody' });
const words = (noun: string): Kind => ({ noun, about: 'nobody', mayName: true });

/** By path prefix. */
export const KINDS: Readonly<Record<string, Kind>> = {
  audit: nobody('audit_log'),
  'brand-kit': nobody('brand_kit'),
  'bulk-actions': words('bulk_action'),
  campaigns: words('campaign'),
  contacts: { noun: 'contact', about: 'contact' },
  'customer-notes': { noun: 'customer_note', about: 'several' },
  customers: { noun: 'customer', about: 'customer' },
  deliverability: nobody('marketing_email'),
  'event-types': words('event_type'),
  events: { noun: 'event', about: 'several' },
  export: nobody('company'),
  flows: words('flow'),
  'flows/runs': { noun: 'flow_run', about: 'several' },
  forms: words('form'),
  imports: words('import'),
  invitations: nobody('invitation'),
  keys: nobody('key'),
  lists: words('list'),
  'loyalty/settings': nobody('loyalty'),
  mailbox: { noun: 'mailbox', about: 'several' },
  members: nobody('member'),
  messages: { noun: 'message', about: 'several' },
  'order-notes': { noun: 'order_note', about: 'several' },
  orders: { noun: 'order', about: 'customer_id' },
  'outbox/refusals': { noun: 'outbox_refusal', about: 'several' },
  pictures: nobody('picture'),
  products: nobody('product'),
  'promo-codes': nobody('promo_code'),
  requests: nobody('request'),
  'retention-settings': nobody('retention_settings'),
  segments: words('segment'),
  'sending-accounts': nobody('sending_account'),
  'sending-domains': nobody('sending_domain'),
  'sending-settings': nobody('sending_settings'),
  settings: nobody('settings'),
  'shipping-methods': nobody('shipping_method'),
  'shipping-zones': nobody('shipping_zone'),
  'subscription-frequencies': nobody('subscription_frequency'),
  subscriptions: { noun: 'subscription', about: 'customer_id' },
  suppressions: { noun: 'suppression', about: 'several' },
  'tax-rules': nobody('tax_rule'),
  templates: words('template'),
  views: words('view'),
  'webhook-endpoints': nobody('webhook_endpoint'),
  'webhook-secrets': nobody('webhook_secret'),
};

export interface Operation extends Kind {
  /** `product.update`, `order.status`, `flow.activate`. */
  action: string;
  /** The rest of the path after the kind; empty if the record itself is created, changed or deleted. */
  rest: string;
  /** The path's parameter, or null. */
  param: string | null;
}

const VERBS: Partial<Record<Endpoint['method'], string>> = {
  POST: 'create',
  PATCH: 'update',
  PUT: 'update',
  DELETE: 'delete',
};

/** Returns the name of a request to the endpoint in the audit log. Throws if its kind is not in the table. */
export function operationOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): Operation {
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  const param = /\{(\w+)\}/.exec(path)?.[1] ?? null;
  for (const length of [2, 1]) {
    const kind = KINDS[words.slice(0, length).join('/')];
    if (kind === undefined) continue;
    const rest = words.slice(length).join('_').replaceAll('-', '_');
    return { ...kind, action: `${kind.noun}.${rest === '' ? VERBS[method] : rest}`, rest, param };
  }
  throw new Error(`The audit log has no name for what is at ${path}: add it to KINDS`);
}

/** Returns the path for reading the record that a request to `path` changes. */
export function recordPathOf(path: string): string {
  const words = path.split('/');
  const at = words.findIndex((word) => word.startsWith('{'));
  if (at === -1) return path;
  // `/flows/activate/{id}`, `/flows/runs/retry/{run_id}`: the verb precedes the id.
  const isVerb = at === words.length - 1 && KINDS[words.slice(1, at).join('/')] === undefined;
  return [...words.slice(0, isVerb ? at - 1 : at), words[at]].join('/');
}
