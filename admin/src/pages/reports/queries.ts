import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { dayIn, daysBefore } from '../../ui/form/days.ts';

export type ListGrowth = ResponseOf<'/reports/list-growth'>;
export type Revenue = ResponseOf<'/reports/revenue'>;
export type Provider = ResponseOf<'/reports/providers'>['providers'][number];
export type Source = Revenue['sources'][number];

export const PERIODS = ['month', 'quarter', 'year'] as const;
export type PeriodName = (typeof PERIODS)[number];
export const SOURCES = ['campaign', 'flow'] as const;
export type SourceKind = (typeof SOURCES)[number];

const DAYS: Record<PeriodName, number> = { month: 30, quarter: 90, year: 365 };

function periodOf(name: PeriodName, timeZone: string): { from: string; to: string } {
  const to = dayIn(timeZone);
  return { from: daysBefore(to, DAYS[name] - 1), to };
}

/** Of the list, or of all contacts. */
export function useGrowth(name: PeriodName, list: number | null) {
  const { api, company } = useShop();
  const query = { ...periodOf(name, 'UTC'), ...(list === null ? {} : { list_id: list }) };
  return useQuery({
    queryKey: [company.id, 'reports', 'list-growth', query],
    placeholderData: keepPreviousData,
    meta: { live: ['lists', 'contacts'], everyMs: 30_000 },
    queryFn: ({ signal }) => ok(api.GET('/reports/list-growth', { params: { query }, signal })),
  });
}

export function useRevenue(name: PeriodName, by: SourceKind) {
  const { api, company } = useShop();
  const interval = name === 'month' ? 'day' : 'week';
  const query = { ...periodOf(name, company.time_zone), by, interval } as const;
  return useQuery({
    queryKey: [company.id, 'reports', 'revenue', query],
    placeholderData: keepPreviousData,
    meta: { live: ['campaigns', 'flows'], everyMs: 30_000 },
    queryFn: ({ signal }) => ok(api.GET('/reports/revenue', { params: { query }, signal })),
  });
}

export const PROVIDER_DAYS = { month: '30', quarter: '90', year: '90' } as const satisfies Record<PeriodName, string>;

export function useProviders(name: PeriodName) {
  const { api, company } = useShop();
  const query = { days: PROVIDER_DAYS[name] };
  return useQuery({
    queryKey: [company.id, 'reports', 'providers', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ok(api.GET('/reports/providers', { params: { query }, signal })),
  });
}
