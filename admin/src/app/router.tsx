import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { Failure, NotFound, NotFoundPage, Waiting } from '../ui/states.tsx';
import { Entrance } from './Entrance.tsx';
import { useHref } from './nav.ts';
import { PLACES } from './navigation.ts';
import { loadReachable } from './online.ts';
import { Shop } from './Shop.tsx';
import { useShop } from './session.tsx';

/** What a list keeps in its address; each list reads what it knows. */
export type Search = Record<string, string | number | boolean | undefined>;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { token?: string; next?: string } => ({
    ...(typeof search.token === 'string' ? { token: search.token } : {}),
    ...(typeof search.next === 'string' && search.next.startsWith('/') ? { next: search.next } : {}),
  }),
  component: lazyRouteComponent(() => import('./SignIn.tsx'), 'SignIn'),
});
const index = createRoute({ getParentRoute: () => root, path: '/', component: Entrance });
const shop = createRoute({ getParentRoute: () => root, path: '/$company', component: Shop });
const start = createRoute({
  getParentRoute: () => shop,
  path: '/',
  component: Start,
});

/** A company's first page: the first that the person's role may see. */
function Start() {
  const { can } = useShop();
  const href = useHref();
  const place = PLACES.find(({ scope }) => can(scope));
  return place === undefined ? <NotFound /> : <Navigate to={href(place.path)} replace />;
}

type Page = () => Promise<Record<string, unknown>>;

/** A page that is loaded when it is opened. */
function page(path: string, load: Page, name: string) {
  return createRoute({
    getParentRoute: () => shop,
    path,
    validateSearch: (search: Record<string, unknown>) => search as Search,
    component: lazyRouteComponent(
      () => loadReachable(load as () => Promise<Record<string, () => React.ReactNode>>),
      name,
    ),
  });
}

const orders = () => import('../pages/orders/ListPage.tsx');

export const router = createRouter({
  basepath: '/admin',
  routeTree: root.addChildren([
    signIn,
    index,
    shop.addChildren([
      start,
      page('home', () => import('../pages/home/Page.tsx'), 'Page'),
      page('orders', orders, 'ListPage'),
      page('orders/print', () => import('../pages/orders/PackingSlips.tsx'), 'PackingSlips'),
      page('orders/invoice', () => import('../pages/orders/Invoices.tsx'), 'Invoices'),
      page('orders/new', () => import('../pages/orders/new/NewPage.tsx'), 'NewPage'),
      page('orders/$id', () => import('../pages/orders/DetailPage.tsx'), 'DetailPage'),
      page('products', () => import('../pages/products/ListPage.tsx'), 'ListPage'),
      page('products/new', () => import('../pages/products/Form.tsx'), 'CreatePage'),
      page('products/$id', () => import('../pages/products/DetailPage.tsx'), 'DetailPage'),
      page('products/$id/edit', () => import('../pages/products/Form.tsx'), 'EditPage'),
      page('customers', () => import('../pages/customers/ListPage.tsx'), 'ListPage'),
      page('customers/new', () => import('../pages/customers/Form.tsx'), 'CreatePage'),
      page('customers/$id', () => import('../pages/customers/DetailPage.tsx'), 'DetailPage'),
      page('customers/$id/edit', () => import('../pages/customers/Form.tsx'), 'EditPage'),
      page('subscriptions', () => import('../pages/subscriptions/ListPage.tsx'), 'ListPage'),
      page('subscriptions/calendar', () => import('../pages/subscriptions/CalendarPage.tsx'), 'CalendarPage'),
      page('subscriptions/frequencies', () => import('../pages/subscriptions/frequencies/ListPage.tsx'), 'ListPage'),
      page('subscriptions/frequencies/new', () => import('../pages/subscriptions/frequencies/Form.tsx'), 'CreatePage'),
      page('subscriptions/frequencies/$id', () => import('../pages/subscriptions/frequencies/Form.tsx'), 'EditPage'),
      page('subscriptions/$id', () => import('../pages/subscriptions/DetailPage.tsx'), 'DetailPage'),
      page('promo-codes', () => import('../pages/promo-codes/ListPage.tsx'), 'ListPage'),
      page('promo-codes/new', () => import('../pages/promo-codes/Form.tsx'), 'CreatePage'),
      page('promo-codes/$id', () => import('../pages/promo-codes/Form.tsx'), 'EditPage'),
      page('contacts', () => import('../pages/contacts/ListPage.tsx'), 'ListPage'),
      page('contacts/new', () => import('../pages/contacts/Form.tsx'), 'CreatePage'),
      page('contacts/$id', () => import('../pages/contacts/DetailPage.tsx'), 'DetailPage'),
      page('contacts/$id/merge', () => import('../pages/contacts/merge/MergePage.tsx'), 'MergePage'),
      page('contacts/$id/edit', () => import('../pages/contacts/Form.tsx'), 'EditPage'),
      page('lists', () => import('../pages/lists/ListPage.tsx'), 'ListPage'),
      page('lists/new', () => import('../pages/lists/Form.tsx'), 'CreatePage'),
      page('lists/$id', () => import('../pages/lists/DetailPage.tsx'), 'DetailPage'),
      page('lists/$id/edit', () => import('../pages/lists/Form.tsx'), 'EditPage'),
      page('segments', () => import('../pages/segments/ListPage.tsx'), 'ListPage'),
      page('segments/new', () => import('../pages/segments/Form.tsx'), 'CreatePage'),
      page('segments/$id', () => import('../pages/segments/DetailPage.tsx'), 'DetailPage'),
      page('segments/$id/edit', () => import('../pages/segments/Form.tsx'), 'EditPage'),
      page('segments/$id/contacts/$contact', () => import('../pages/segments/WhyPage.tsx'), 'WhyPage'),
      page('forms', () => import('../pages/forms/ListPage.tsx'), 'ListPage'),
      page('forms/new', () => import('../pages/forms/Form.tsx'), 'CreatePage'),
      page('forms/$id', () => import('../pages/forms/DetailPage.tsx'), 'DetailPage'),
      page('forms/$id/edit', () => import('../pages/forms/Form.tsx'), 'EditPage'),
      page('campaigns', () => import('../pages/campaigns/ListPage.tsx'), 'ListPage'),
      page('campaigns/new', () => import('../pages/campaigns/wizard/CreatePage.tsx'), 'CreatePage'),
      page('campaigns/calendar', () => import('../pages/campaigns/CalendarPage.tsx'), 'CalendarPage'),
      page('campaigns/compare', () => import('../pages/campaigns/compare/ComparePage.tsx'), 'ComparePage'),
      page('campaigns/$id', () => import('../pages/campaigns/DetailPage.tsx'), 'DetailPage'),
      page('campaigns/$id/edit', () => import('../pages/campaigns/wizard/EditPage.tsx'), 'EditPage'),
      page('flows', () => import('../pages/flows/ListPage.tsx'), 'ListPage'),
      page('flows/$id', () => import('../pages/flows/DetailPage.tsx'), 'DetailPage'),
      page('flows/$id/edit', () => import('../pages/flows/builder/BuilderPage.tsx'), 'BuilderPage'),
      page('flows/$id/versions', () => import('../pages/flows/versions/VersionsPage.tsx'), 'VersionsPage'),
      page('flows/$id/steps/$step', () => import('../pages/flows/StepPage.tsx'), 'StepPage'),
      page('flows/$id/runs/$run', () => import('../pages/flows/runs/RunPage.tsx'), 'RunPage'),
      page('templates', () => import('../pages/templates/ListPage.tsx'), 'ListPage'),
      page('templates/new', () => import('../pages/templates/Form.tsx'), 'CreatePage'),
      page('templates/new/blocks', () => import('../pages/templates/editor/EditorPage.tsx'), 'CreatePage'),
      page('templates/$id', () => import('../pages/templates/EditPage.tsx'), 'EditPage'),
      page('events', () => import('../pages/events/Page.tsx'), 'Page'),
      page('mailbox', () => import('../pages/mailbox/ListPage.tsx'), 'ListPage'),
      page('mailbox/$id', () => import('../pages/mailbox/DetailPage.tsx'), 'DetailPage'),
      page('messages/$id', () => import('../pages/messages/DetailPage.tsx'), 'DetailPage'),
      page('suppressions', () => import('../pages/suppressions/ListPage.tsx'), 'ListPage'),
      page('imports', () => import('../pages/imports/ListPage.tsx'), 'ListPage'),
      page('imports/new', () => import('../pages/imports/NewPage.tsx'), 'NewPage'),
      page('imports/$id', () => import('../pages/imports/DetailPage.tsx'), 'DetailPage'),
      page('keys', () => import('../pages/keys/Page.tsx'), 'Page'),
      page('developers/incoming', () => import('../pages/developers/IncomingPage.tsx'), 'IncomingPage'),
      page('developers/requests', () => import('../pages/developers/RequestsPage.tsx'), 'RequestsPage'),
      page('developers/refused', () => import('../pages/developers/RefusedPage.tsx'), 'RefusedPage'),
      page('webhooks', () => import('../pages/webhooks/ListPage.tsx'), 'ListPage'),
      page('webhooks/$id', () => import('../pages/webhooks/DetailPage.tsx'), 'DetailPage'),
      page('settings', () => import('../pages/settings/CompanyPage.tsx'), 'CompanyPage'),
      page('settings/company', () => import('../pages/settings/CompanyPage.tsx'), 'CompanyPage'),
      page('settings/loyalty', () => import('../pages/settings/LoyaltyPage.tsx'), 'LoyaltyPage'),
      page('settings/sending', () => import('../pages/settings/SendingPage.tsx'), 'SendingPage'),
      page('settings/domains', () => import('../pages/settings/DomainsPage.tsx'), 'DomainsPage'),
      page('settings/deliverability', () => import('../pages/settings/DeliverabilityPage.tsx'), 'DeliverabilityPage'),
      page('settings/accounts', () => import('../pages/settings/AccountsPage.tsx'), 'AccountsPage'),
      page('settings/brand', () => import('../pages/settings/BrandPage.tsx'), 'BrandPage'),
      page('settings/retention', () => import('../pages/settings/RetentionPage.tsx'), 'RetentionPage'),
      page('settings/health', () => import('../pages/settings/HealthPage.tsx'), 'HealthPage'),
      page('members', () => import('../pages/members/Page.tsx'), 'Page'),
      page('audit', () => import('../pages/audit/ListPage.tsx'), 'ListPage'),
      page('account', () => import('../pages/account/Page.tsx'), 'Page'),
      page('taxes', () => import('../pages/taxes/ListPage.tsx'), 'ListPage'),
      page('taxes/new', () => import('../pages/taxes/Form.tsx'), 'CreatePage'),
      page('taxes/$id', () => import('../pages/taxes/Form.tsx'), 'EditPage'),
      page('shipping', () => import('../pages/shipping/ListPage.tsx'), 'ListPage'),
      page('shipping/zones/new', () => import('../pages/shipping/ZoneForm.tsx'), 'CreatePage'),
      page('shipping/zones/$id', () => import('../pages/shipping/ZoneForm.tsx'), 'EditPage'),
      page('shipping/zones/$zone/methods/new', () => import('../pages/shipping/Form.tsx'), 'CreatePage'),
      page('shipping/$id', () => import('../pages/shipping/Form.tsx'), 'EditPage'),
    ]),
  ]),
  // One record's state is not another's; a list keeps its own while its filters change.
  defaultRemountDeps: ({ params }) => params,
  defaultPreload: 'intent',
  defaultPendingComponent: Waiting,
  defaultErrorComponent: Failure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
