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
    component: lazyRouteComponent(load as () => Promise<Record<string, () => React.ReactNode>>, name),
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
      page('orders', orders, 'ListPage'),
      page('orders/print', () => import('../pages/orders/PackingSlips.tsx'), 'PackingSlips'),
      page('orders/$id', () => import('../pages/orders/DetailPage.tsx'), 'DetailPage'),
      page('products', () => import('../pages/products/ListPage.tsx'), 'ListPage'),
      page('products/new', () => import('../pages/products/Form.tsx'), 'CreatePage'),
      page('products/$id', () => import('../pages/products/DetailPage.tsx'), 'DetailPage'),
      page('products/$id/edit', () => import('../pages/products/Form.tsx'), 'EditPage'),
      page('customers', () => import('../pages/customers/ListPage.tsx'), 'ListPage'),
      page('customers/new', () => import('../pages/customers/Form.tsx'), 'CreatePage'),
      page('customers/$id', () => import('../pages/customers/DetailPage.tsx'), 'DetailPage'),
      page('customers/$id/edit', () => import('../pages/customers/Form.tsx'), 'EditPage'),
      page('promo-codes', () => import('../pages/promo-codes/ListPage.tsx'), 'ListPage'),
      page('promo-codes/new', () => import('../pages/promo-codes/Form.tsx'), 'CreatePage'),
      page('promo-codes/$id', () => import('../pages/promo-codes/Form.tsx'), 'EditPage'),
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
