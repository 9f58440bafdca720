import type { TextKey } from '../i18n/i18n.ts';
import type { IconName } from '../ui/Icon.tsx';

export interface Place {
  /** The address below the company's. */
  path: string;
  text: TextKey;
  icon: IconName;
  scope: string;
  /** Pressed after g. */
  key: string;
  group: 'shop' | 'setup' | 'messages';
}

/** One line for each resource: the side bar, the palette and the keyboard map come from it. */
export const PLACES: readonly Place[] = [
  { path: 'orders', text: 'nav.orders', icon: 'shopping-cart', scope: 'orders:read', key: 'o', group: 'shop' },
  { path: 'products', text: 'nav.products', icon: 'package', scope: 'products:read', key: 'p', group: 'shop' },
  { path: 'customers', text: 'nav.customers', icon: 'users', scope: 'customers:read', key: 'c', group: 'shop' },
  { path: 'promo-codes', text: 'nav.promo_codes', icon: 'ticket', scope: 'settings:read', key: 'd', group: 'shop' },
  { path: 'shipping', text: 'nav.shipping', icon: 'truck', scope: 'settings:read', key: 'v', group: 'setup' },
  { path: 'taxes', text: 'nav.taxes', icon: 'receipt-tax', scope: 'settings:read', key: 't', group: 'setup' },
];

/** Those at the bottom of a phone; the rest is behind "More". */
export const ON_PHONE = 4;
