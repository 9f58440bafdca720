import { type Api, dataOf, ok, rowsOf } from '../../../api/client.ts';

/** One of a kind is enough to know that there are any. */
const query = { per_page: 1 };

interface Step {
  name: string;
  /** The page on which it is done. */
  path: string;
  /** Those of who can do it. */
  scopes: readonly string[];
  /** Whether the shop differs from a new one. */
  isDone(api: Api, signal: AbortSignal): Promise<boolean>;
}

/** What a new shop needs until its first order, in this order. */
export const STEPS = [
  {
    name: 'shop',
    path: 'settings/company',
    scopes: ['company:write'],
    isDone: async (api, signal) => (await dataOf(api.GET('/settings', { signal }))).address !== '',
  },
  {
    name: 'products',
    path: 'products/new',
    scopes: ['products:write'],
    isDone: async (api, signal) => (await rowsOf(api.GET('/products', { params: { query }, signal }))).total > 0,
  },
  {
    name: 'taxes',
    path: 'taxes',
    scopes: ['settings:write'],
    isDone: async (api, signal) => (await rowsOf(api.GET('/tax-rules', { params: { query }, signal }))).total > 0,
  },
  {
    name: 'shipping',
    path: 'shipping',
    scopes: ['settings:write'],
    isDone: async (api, signal) => {
      const methods = await rowsOf(api.GET('/shipping-methods', { params: { query }, signal }));
      const [first] = methods.rows;
      return methods.total > 1 || (first !== undefined && first.cost !== 0);
    },
  },
  {
    name: 'sender',
    path: 'settings/sending',
    scopes: ['marketing:read', 'marketing:write'],
    isDone: async (api, signal) =>
      !(await ok(api.GET('/sending-settings', { signal }))).from_email.endsWith('@tradeloom.example'),
  },
  {
    name: 'domain',
    path: 'settings/domains',
    scopes: ['marketing:read', 'company:write'],
    isDone: async (api, signal) => {
      const { sending_domains: domains } = await ok(
        api.GET('/sending-domains', { params: { query: { per_page: 100 } }, signal }),
      );
      return domains.some(({ state }) => state === 'verified');
    },
  },
  {
    name: 'payments',
    path: 'payment-methods',
    scopes: ['settings:write'],
    isDone: async (api, signal) => {
      const methods = await rowsOf(api.GET('/payment-methods', { params: { query: { per_page: 100 } }, signal }));
      return methods.rows.some(({ active }) => active);
    },
  },
  {
    name: 'order',
    path: 'orders/new',
    scopes: ['orders:read', 'carts:write'],
    isDone: async (api, signal) => (await rowsOf(api.GET('/orders', { params: { query }, signal }))).total > 0,
  },
] as const satisfies readonly Step[];
