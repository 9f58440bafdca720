import type { TextKey } from '../i18n/i18n.ts';
import type { IconName } from '../ui/Icon.tsx';
import { firstFit } from './address.ts';

/** Loads the module that contains a page. */
type Load = () => Promise<Record<string, unknown>>;

/**
 * Each page by its path below a company, with its module and its name there. Of two that match an address, the first is
 * shown. Imports nothing else of the app: the start of the app reads this first.
 */
export const PAGES: readonly (readonly [path: string, load: Load, name: string])[] = [
  ['home', () => import('./home/Page.tsx'), 'Page'],
  ['setup', () => import('./setup/Page.tsx'), 'Page'],
  ['orders', () => import('./orders/ListPage.tsx'), 'ListPage'],
  ['orders/print', () => import('./orders/PackingSlips.tsx'), 'PackingSlips'],
  ['orders/invoice', () => import('./orders/Invoices.tsx'), 'Invoices'],
  ['orders/new', () => import('./orders/new/NewPage.tsx'), 'NewPage'],
  ['orders/$id', () => import('./orders/DetailPage.tsx'), 'DetailPage'],
  ['products', () => import('./products/ListPage.tsx'), 'ListPage'],
  ['products/new', () => import('./products/Form.tsx'), 'CreatePage'],
  ['products/$id', () => import('./products/DetailPage.tsx'), 'DetailPage'],
  ['products/$id/edit', () => import('./products/Form.tsx'), 'EditPage'],
  ['collections', () => import('./collections/ListPage.tsx'), 'ListPage'],
  ['collections/new', () => import('./collections/Form.tsx'), 'CreatePage'],
  ['collections/$id', () => import('./collections/Form.tsx'), 'EditPage'],
  ['categories', () => import('./categories/ListPage.tsx'), 'ListPage'],
  ['categories/new', () => import('./categories/Form.tsx'), 'CreatePage'],
  ['categories/$slug', () => import('./categories/Form.tsx'), 'EditPage'],
  ['inventory', () => import('./inventory/ListPage.tsx'), 'ListPage'],
  ['inventory/transfers', () => import('./inventory/transfers/ListPage.tsx'), 'ListPage'],
  ['inventory/transfers/new', () => import('./inventory/transfers/Form.tsx'), 'CreatePage'],
  ['inventory/transfers/$id', () => import('./inventory/transfers/DetailPage.tsx'), 'DetailPage'],
  ['inventory/transfers/$id/edit', () => import('./inventory/transfers/Form.tsx'), 'EditPage'],
  ['inventory/receipts', () => import('./inventory/receipts/ListPage.tsx'), 'ListPage'],
  ['inventory/receipts/new', () => import('./inventory/receipts/Form.tsx'), 'CreatePage'],
  ['inventory/receipts/$id', () => import('./inventory/receipts/DetailPage.tsx'), 'DetailPage'],
  ['inventory/locations', () => import('./inventory/locations/ListPage.tsx'), 'ListPage'],
  ['inventory/locations/new', () => import('./inventory/locations/Form.tsx'), 'CreatePage'],
  ['inventory/locations/$id', () => import('./inventory/locations/Form.tsx'), 'EditPage'],
  ['customers', () => import('./customers/ListPage.tsx'), 'ListPage'],
  ['customers/new', () => import('./customers/Form.tsx'), 'CreatePage'],
  ['customers/$id', () => import('./customers/DetailPage.tsx'), 'DetailPage'],
  ['customers/$id/edit', () => import('./customers/Form.tsx'), 'EditPage'],
  ['subscriptions', () => import('./subscriptions/ListPage.tsx'), 'ListPage'],
  ['subscriptions/calendar', () => import('./subscriptions/CalendarPage.tsx'), 'CalendarPage'],
  ['subscriptions/frequencies', () => import('./subscriptions/frequencies/ListPage.tsx'), 'ListPage'],
  ['subscriptions/frequencies/new', () => import('./subscriptions/frequencies/Form.tsx'), 'CreatePage'],
  ['subscriptions/frequencies/$id', () => import('./subscriptions/frequencies/Form.tsx'), 'EditPage'],
  ['subscriptions/$id', () => import('./subscriptions/DetailPage.tsx'), 'DetailPage'],
  ['promo-codes', () => import('./promo-codes/ListPage.tsx'), 'ListPage'],
  ['promo-codes/new', () => import('./promo-codes/Form.tsx'), 'CreatePage'],
  ['promo-codes/$id', () => import('./promo-codes/Form.tsx'), 'EditPage'],
  ['contacts', () => import('./contacts/ListPage.tsx'), 'ListPage'],
  ['contacts/new', () => import('./contacts/Form.tsx'), 'CreatePage'],
  ['contacts/$id', () => import('./contacts/DetailPage.tsx'), 'DetailPage'],
  ['contacts/$id/merge', () => import('./contacts/merge/MergePage.tsx'), 'MergePage'],
  ['contacts/$id/edit', () => import('./contacts/Form.tsx'), 'EditPage'],
  ['lists', () => import('./lists/ListPage.tsx'), 'ListPage'],
  ['lists/new', () => import('./lists/Form.tsx'), 'CreatePage'],
  ['lists/$id', () => import('./lists/DetailPage.tsx'), 'DetailPage'],
  ['lists/$id/edit', () => import('./lists/Form.tsx'), 'EditPage'],
  ['segments', () => import('./segments/ListPage.tsx'), 'ListPage'],
  ['segments/new', () => import('./segments/Form.tsx'), 'CreatePage'],
  ['segments/$id', () => import('./segments/DetailPage.tsx'), 'DetailPage'],
  ['segments/$id/edit', () => import('./segments/Form.tsx'), 'EditPage'],
  ['segments/$id/contacts/$contact', () => import('./segments/WhyPage.tsx'), 'WhyPage'],
  ['forms', () => import('./forms/ListPage.tsx'), 'ListPage'],
  ['forms/new', () => import('./forms/Form.tsx'), 'CreatePage'],
  ['forms/$id', () => import('./forms/DetailPage.tsx'), 'DetailPage'],
  ['forms/$id/edit', () => import('./forms/Form.tsx'), 'EditPage'],
  ['campaigns', () => import('./campaigns/ListPage.tsx'), 'ListPage'],
  ['campaigns/new', () => import('./campaigns/wizard/CreatePage.tsx'), 'CreatePage'],
  ['campaigns/calendar', () => import('./campaigns/CalendarPage.tsx'), 'CalendarPage'],
  ['campaigns/compare', () => import('./campaigns/compare/ComparePage.tsx'), 'ComparePage'],
  ['campaigns/$id', () => import('./campaigns/DetailPage.tsx'), 'DetailPage'],
  ['campaigns/$id/edit', () => import('./campaigns/wizard/EditPage.tsx'), 'EditPage'],
  ['flows', () => import('./flows/ListPage.tsx'), 'ListPage'],
  ['flows/$id', () => import('./flows/DetailPage.tsx'), 'DetailPage'],
  ['flows/$id/edit', () => import('./flows/builder/BuilderPage.tsx'), 'BuilderPage'],
  ['flows/$id/versions', () => import('./flows/versions/VersionsPage.tsx'), 'VersionsPage'],
  ['flows/$id/steps/$step', () => import('./flows/StepPage.tsx'), 'StepPage'],
  ['flows/$id/runs/$run', () => import('./flows/runs/RunPage.tsx'), 'RunPage'],
  ['templates', () => import('./templates/ListPage.tsx'), 'ListPage'],
  ['templates/new', () => import('./templates/Form.tsx'), 'CreatePage'],
  ['templates/new/blocks', () => import('./templates/editor/EditorPage.tsx'), 'CreatePage'],
  ['templates/$id', () => import('./templates/EditPage.tsx'), 'EditPage'],
  ['events', () => import('./events/Page.tsx'), 'Page'],
  ['mailbox', () => import('./mailbox/ListPage.tsx'), 'ListPage'],
  ['mailbox/$id', () => import('./mailbox/DetailPage.tsx'), 'DetailPage'],
  ['messages/$id', () => import('./messages/DetailPage.tsx'), 'DetailPage'],
  ['suppressions', () => import('./suppressions/ListPage.tsx'), 'ListPage'],
  ['imports', () => import('./imports/ListPage.tsx'), 'ListPage'],
  ['imports/new', () => import('./imports/NewPage.tsx'), 'NewPage'],
  ['imports/$id', () => import('./imports/DetailPage.tsx'), 'DetailPage'],
  ['keys', () => import('./keys/Page.tsx'), 'Page'],
  ['developers/incoming', () => import('./developers/IncomingPage.tsx'), 'IncomingPage'],
  ['developers/requests', () => import('./developers/RequestsPage.tsx'), 'RequestsPage'],
  ['developers/refused', () => import('./developers/RefusedPage.tsx'), 'RefusedPage'],
  ['webhooks', () => import('./webhooks/ListPage.tsx'), 'ListPage'],
  ['webhooks/$id', () => import('./webhooks/DetailPage.tsx'), 'DetailPage'],
  ['settings', () => import('./settings/CompanyPage.tsx'), 'CompanyPage'],
  ['settings/company', () => import('./settings/CompanyPage.tsx'), 'CompanyPage'],
  ['settings/loyalty', () => import('./settings/LoyaltyPage.tsx'), 'LoyaltyPage'],
  ['settings/sending', () => import('./settings/SendingPage.tsx'), 'SendingPage'],
  ['settings/domains', () => import('./settings/DomainsPage.tsx'), 'DomainsPage'],
  ['settings/deliverability', () => import('./settings/DeliverabilityPage.tsx'), 'DeliverabilityPage'],
  ['settings/accounts', () => import('./settings/AccountsPage.tsx'), 'AccountsPage'],
  ['settings/brand', () => import('./settings/BrandPage.tsx'), 'BrandPage'],
  ['settings/retention', () => import('./settings/RetentionPage.tsx'), 'RetentionPage'],
  ['settings/health', () => import('./settings/HealthPage.tsx'), 'HealthPage'],
  ['members', () => import('./members/Page.tsx'), 'Page'],
  ['audit', () => import('./audit/ListPage.tsx'), 'ListPage'],
  ['account', () => import('./account/Page.tsx'), 'Page'],
  ['media', () => import('./media/ListPage.tsx'), 'ListPage'],
  ['media/new', () => import('./media/Form.tsx'), 'CreatePage'],
  ['media/$id', () => import('./media/Form.tsx'), 'EditPage'],
  ['taxes', () => import('./taxes/ListPage.tsx'), 'ListPage'],
  ['taxes/new', () => import('./taxes/Form.tsx'), 'CreatePage'],
  ['taxes/$id', () => import('./taxes/Form.tsx'), 'EditPage'],
  ['shipping', () => import('./shipping/ListPage.tsx'), 'ListPage'],
  ['shipping/zones/new', () => import('./shipping/ZoneForm.tsx'), 'CreatePage'],
  ['shipping/zones/$id', () => import('./shipping/ZoneForm.tsx'), 'EditPage'],
  ['shipping/zones/$zone/methods/new', () => import('./shipping/Form.tsx'), 'CreatePage'],
  ['shipping/$id', () => import('./shipping/Form.tsx'), 'EditPage'],
];

export interface Place {
  /** Path below the company's. */
  path: string;
  text: TextKey;
  icon: IconName;
  scope: string;
  /** The key after g; null for pages that are opened seldom. */
  key: string | null;
  group: 'shop' | 'setup' | 'messages';
}

/** One line per resource, used by the side bar, the palette and the keyboard map. */
export const PLACES: readonly Place[] = [
  { path: 'home', text: 'nav.home', icon: 'home', scope: 'orders:read', key: 'h', group: 'shop' },
  { path: 'orders', text: 'nav.orders', icon: 'shopping-cart', scope: 'orders:read', key: 'o', group: 'shop' },
  { path: 'products', text: 'nav.products', icon: 'package', scope: 'products:read', key: 'p', group: 'shop' },
  { path: 'customers', text: 'nav.customers', icon: 'users', scope: 'customers:read', key: 'c', group: 'shop' },
  { path: 'inventory', text: 'nav.inventory', icon: 'list-details', scope: 'inventory:read', key: 'j', group: 'shop' },
  {
    path: 'subscriptions',
    text: 'nav.subscriptions',
    icon: 'repeat',
    scope: 'subscriptions:read',
    key: 's',
    group: 'shop',
  },
  { path: 'promo-codes', text: 'nav.promo_codes', icon: 'ticket', scope: 'settings:read', key: 'd', group: 'shop' },
  { path: 'collections', text: 'nav.collections', icon: 'columns', scope: 'products:read', key: null, group: 'shop' },
  { path: 'categories', text: 'nav.categories', icon: 'list-check', scope: 'products:read', key: null, group: 'shop' },
  { path: 'media', text: 'nav.media', icon: 'photo', scope: 'products:read', key: null, group: 'shop' },
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

export const loadSignIn = () => import('../app/SignIn.tsx');

/** Returns the loader of the page at an address of the app; null where there is none. */
export function pageAt(pathname: string): Load | null {
  const [, , company, ...below] = pathname.split('/');
  return company === 'sign-in' ? loadSignIn : (firstFit(PAGES, below.join('/'))?.[1] ?? null);
}
