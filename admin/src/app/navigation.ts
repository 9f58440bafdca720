import type { TextKey } from '../i18n/i18n.ts';
import type { IconName } from '../ui/Icon.tsx';

export interface Place {
  /** Path below the company's. */
  path: string;
  text: TextKey;
  icon: IconName;
  scope: string;
  /** The key after g. */
  key: string;
  group: 'shop' | 'setup' | 'messages';
}

/** One line per resource, used by the side bar, the palette and the keyboard map. */
export const PLACES: readonly Place[] = [
  { path: 'home', text: 'nav.home', icon: 'home', scope: 'orders:read', key: 'h', group: 'shop' },
  { path: 'orders', text: 'nav.orders', icon: 'shopping-cart', scope: 'orders:read', key: 'o', group: 'shop' },
  { path: 'products', text: 'nav.products', icon: 'package', scope: 'products:read', key: 'p', group: 'shop' },
  { path: 'customers', text: 'nav.customers', icon: 'users', scope: 'customers:read', key: 'c', group: 'shop' },
  {
    path: 'subscriptions',
    text: 'nav.subscriptions',
    icon: 'repeat',
    scope: 'subscriptions:read',
    key: 's',
    group: 'shop',
  },
  { path: 'promo-codes', text: 'nav.promo_codes', icon: 'ticket', scope: 'settings:read', key: 'd', group: 'shop' },
  {
    path: 'contacts',
    text: 'nav.contacts',
    icon: 'address-book',
    scope: 'marketing:read',
    key: 'n',
    group: 'messages',
  },
  { path: 'lists', text: 'nav.lists', icon: 'list-check', scope: 'marketing:read', key: 'x', group: 'messages' },
  { path: 'segments', text: 'nav.segments', icon: 'filter', scope: 'marketing:read', key: 'a', group: 'messages' },
  { path: 'forms', text: 'nav.forms', icon: 'inbox', scope: 'marketing:read', key: 'q', group: 'messages' },
  { path: 'campaigns', text: 'nav.campaigns', icon: 'send', scope: 'marketing:read', key: 'y', group: 'messages' },
  { path: 'flows', text: 'nav.flows', icon: 'sitemap', scope: 'marketing:read', key: 'f', group: 'messages' },
  { path: 'templates', text: 'nav.templates', icon: 'template', scope: 'marketing:read', key: 'r', group: 'messages' },
  { path: 'events', text: 'nav.events', icon: 'bolt', scope: 'marketing:read', key: 'e', group: 'messages' },
  { path: 'mailbox', text: 'nav.mailbox', icon: 'mailbox', scope: 'marketing:read', key: 'm', group: 'messages' },
  {
    path: 'suppressions',
    text: 'nav.suppressions',
    icon: 'x',
    scope: 'marketing:read',
    key: 'z',
    group: 'messages',
  },
  { path: 'shipping', text: 'nav.shipping', icon: 'truck', scope: 'settings:read', key: 'v', group: 'setup' },
  { path: 'taxes', text: 'nav.taxes', icon: 'receipt-tax', scope: 'settings:read', key: 't', group: 'setup' },
  { path: 'settings', text: 'nav.settings', icon: 'settings', scope: 'settings:read', key: 'i', group: 'setup' },
  { path: 'imports', text: 'nav.imports', icon: 'upload', scope: 'imports:write', key: 'u', group: 'setup' },
  { path: 'keys', text: 'nav.keys', icon: 'code', scope: 'keys:read', key: 'k', group: 'setup' },
  { path: 'webhooks', text: 'nav.webhooks', icon: 'webhook', scope: 'marketing:read', key: 'w', group: 'setup' },
  { path: 'members', text: 'nav.members', icon: 'users-group', scope: 'members:read', key: 'b', group: 'setup' },
  { path: 'audit', text: 'nav.audit', icon: 'list-details', scope: 'audit:read', key: 'l', group: 'setup' },
];

/** How many are at the bottom of a phone; the rest is under "More". */
export const ON_PHONE = 4;
