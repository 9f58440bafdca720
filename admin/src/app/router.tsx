import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { loadSignIn, PAGES, PLACES } from '../pages/pages.ts';
import { Failure, NotFound, NotFoundPage, Waiting } from '../ui/states.tsx';
import { Entrance } from './Entrance.tsx';
import { useHref } from './nav.ts';
import { loadReachable } from './online.ts';
import { Shop } from './Shop.tsx';
import { useShop } from './session.tsx';

/** The search part of a list's address; each list reads the fields that it knows. */
export type Search = Record<string, string | number | boolean | undefined>;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { token?: string; next?: string } => ({
    ...(typeof search.token === 'string' ? { token: search.token } : {}),
    ...(typeof search.next === 'string' && search.next.startsWith('/') ? { next: search.next } : {}),
  }),
  component: lazyRouteComponent(loadSignIn, 'SignIn'),
});
const index = createRoute({ getParentRoute: () => root, path: '/', component: Entrance });
const shop = createRoute({ getParentRoute: () => root, path: '/$company', component: Shop });
const start = createRoute({
  getParentRoute: () => shop,
  path: '/',
  component: Start,
});

/** A company's start page: the first one that the person's role may see. */
function Start() {
  const { can } = useShop();
  const href = useHref();
  const place = PLACES.find(({ scope }) => can(scope));
  return place === undefined ? <NotFound /> : <Navigate to={href(place.path)} replace />;
}

/** Each page's code is loaded when the page is opened. */
const pages = PAGES.map(([path, load, name]) =>
  createRoute({
    getParentRoute: () => shop,
    path,
    validateSearch: (search: Record<string, unknown>) => search as Search,
    component: lazyRouteComponent(
      () => loadReachable(load as () => Promise<Record<string, () => React.ReactNode>>),
      name,
    ),
  }),
);

export const router = createRouter({
  basepath: '/admin',
  routeTree: root.addChildren([signIn, index, shop.addChildren([start, ...pages])]),
  // Records do not share state; a list keeps its own while its filters change.
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
