import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import type { paths } from '../../../api/schema.ts';
import { useShop } from '../../../app/session.tsx';
import { rootOf } from '../../../ui/form/values.ts';
import { fieldText, textOf } from '../../../ui/messages.tsx';
import { bodyOf, type Draft, TEXTS } from './draft.ts';

export type Calculation = paths['/orders/calculate']['post']['responses'][200]['content']['application/json']['data'];

const TYPING_MS = 250;
const POINTS = ['loyalty_disabled', 'below_min_redeem', 'insufficient_points'];

/** The price of the order, requested again whenever it changes. */
export function useCalculation(draft: Draft) {
  const { api, company } = useShop();
  const text = JSON.stringify(bodyOf(draft));
  const [asked] = useDebouncedValue(text, TYPING_MS);
  const body = useMemo(() => JSON.parse(asked) as ReturnType<typeof bodyOf>, [asked]);
  const query = useQuery({
    queryKey: [company.id, 'orders', 'calculate', asked],
    enabled: body.items.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
    queryFn: ({ signal }) => dataOf(api.POST('/orders/calculate', { body, signal })),
  });
  return { ...query, data: body.items.length > 0 ? query.data : undefined, isCurrent: asked === text };
}

/** Assigns an error to its fields, by name (`items.0` for a line); the rest concerns no field. */
export function problemsOf(error: unknown): { fields: Record<string, string>; other: string | null } {
  if (error === null) return { fields: {}, other: null };
  if (!(error instanceof ApiError)) return { fields: {}, other: textOf(error) };
  if (error.code.startsWith('promo_')) return { fields: { promo_code: error.message }, other: null };
  if (POINTS.includes(error.code)) return { fields: { redeem_points: error.message }, other: null };
  const known = ['customer_id', 'items', 'custom', ...TEXTS];
  const at = ({ field }: { field: string }): string => /^(?:items\.\d+|custom\..+)/.exec(field)?.[0] ?? rootOf(field);
  const named = error.fields.filter(({ field }) => known.includes(rootOf(field)));
  const fields = Object.fromEntries(named.map((one) => [at(one), fieldText(one)]));
  return { fields, other: named.length === 0 ? textOf(error) : null };
}
