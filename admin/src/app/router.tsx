import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { Failure, NotFound, Waiting } from '../ui/states.tsx';
import { Entrance } from './Entrance.tsx';
import { useHref } from './nav.ts';
import { PLACES } from './navigation.ts';
import { Shop } from './Shop.tsx';
import { useShop } from './session.tsx';

/** What a list keeps in its address; each list reads what it knows. */
export type Search = Record<string, string | number | boolean | undefined>;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });
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
