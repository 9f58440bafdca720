import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Api, ok, type ResponseOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { dayIn, daysBefore } from '../../ui/form/days.ts';
import { withoutCancelled } from './kept-orders.ts';

export type SalesOverview = ResponseOf<'/overview/sales'>;
export type Sales = SalesOverview['period']['total'];
export type CartsOverview = ResponseOf<'/overview/carts'>;
export type MarketingOverview = ResponseOf<'/overview/marketing'>;
export type SoldProduct = ResponseOf<'/overview/products'>['best_sellers'][number];

export const SOLD_BY = ['product', 'variant'] as const;
export type SoldBy = (typeof SOLD_BY)[number];
export const PERIODS = ['today', 'yesterday', 'week', 'month', 'quarter', 'year'] as const;
export type PeriodName = (typeof PERIODS)[number];
export const COMPARISONS = ['previous', 'week', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

const DAYS: Record<PeriodName, number> = { today: 1, yesterday: 1, week: 7, month: 30, quarter: 90, year: 365 };
const INTERVAL = { today: 'day', yesterday: 'day', week: 'day', month: 'day', quarter: 'week', year: 'month' } as const;

function usePeriod(name: PeriodName) {
  const { company } = useShop();
  const today = dayIn(company.time_zone);
  const to = name === 'yesterday' ? daysBefore(today, 1) : today;
  return { from: daysBefore(to, DAYS[name] - 1), to, interval: INTERVAL[name] };
}

export function useSales(name: PeriodName, compare: Comparison) {
  const { api, company } = useShop();
  const query = { ...usePeriod(name), compare };
  return useQuery({
    queryKey: [company.id, 'overview', 'sales', query],
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    meta: { live: ['orders'], everyMs: 2_000 },
    queryFn: async ({ signal }) =>
      withoutCancelled(await ok(api.GET('/overview/sales', { params: { query }, signal }))),
  });
}

/** Marketing totals use UTC days: what a shop in America sends in the evening counts for tomorrow. */
export function useMarketing(name: PeriodName) {
  const { api, company } = useShop();
  const period = usePeriod(name);
  const today = dayIn('UTC');
  const query = name === 'yesterday' || today < period.to ? period : { ...period, to: today };
  return useQuery({
    queryKey: [company.id, 'overview', 'marketing', query],
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    meta: { live: ['campaigns', 'flows', 'lists', 'contacts'], everyMs: 10_000 },
    queryFn: ({ signal }) => ok(api.GET('/overview/marketing', { params: { query }, signal })),
  });
}

export function useCarts(name: PeriodName) {
  const { api, company } = useShop();
  const { from, to } = usePeriod(name);
  return useQuery({
    queryKey: [company.id, 'overview', 'carts', from, to],
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    meta: { live: ['orders'], everyMs: 30_000 },
    queryFn: ({ signal }) => ok(api.GET('/overview/carts', { params: { query: { from, to } }, signal })),
  });
}

export function useProducts(by: SoldBy = 'product') {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'overview', 'products', by],
    placeholderData: keepPreviousData,
    meta: { live: ['orders'], everyMs: 30_000 },
    queryFn: ({ signal }) => ok(api.GET('/overview/products', { params: { query: { by } }, signal })),
  });
}

export function useAttention() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'overview', 'attention'],
    meta: { live: ['orders', 'subscriptions', 'messages'], everyMs: 10_000 },
    refetchInterval: 60_000,
    queryFn: ({ signal }) => ok(api.GET('/overview/attention', { signal })),
  });
}

const query = { per_page: 1 };
/** The first tiles: each counts what its list shows. */
export const TILES = [
  {
    name: 'to_fulfill',
    scope: 'orders:read',
    path: 'orders?to_fulfill=true&sort=oldest',
    read: (api: Api, signal: AbortSignal) =>
      rowsOf(api.GET('/orders', { params: { query: { ...query, to_fulfill: true } }, signal })),
  },
  {
    name: 'unpaid',
    scope: 'payments:read',
    path: 'orders?balance=due&sort=oldest',
    read: (api: Api, signal: AbortSignal) =>
      rowsOf(api.GET('/orders', { params: { query: { ...query, balance: 'due' } }, signal })),
  },
  {
    name: 'running_out',
    scope: 'inventory:read',
    path: 'inventory?running_out=true',
    read: (api: Api, signal: AbortSignal) =>
      rowsOf(api.GET('/inventory', { params: { query: { ...query, running_out: true } }, signal })),
  },
] as const;
export type Tile = (typeof TILES)[number];

export function useTile(name: Tile['name'], read: Tile['read']) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'overview', 'tile', name],
    meta: { live: ['orders', 'products'], everyMs: 2_000 },
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => (await read(api, signal)).total,
  });
}
