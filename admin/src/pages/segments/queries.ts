import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RuleGroup } from '../../../../src/rules/language.ts';
import { type Api, type Model, ok, type ResponseOf } from '../../api/client.ts';
import { everyRow } from '../../api/pages.ts';
import { useShop } from '../../app/session.tsx';

export type Segment = Model<'Segment'>;
/** A segment in the list, with its last count. */
export type ListedSegment = ResponseOf<'/segments'>['segments'][number];

/** A segment with the number of its contacts. */
export function useSegment(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'segments', id],
    queryFn: ({ signal }) => ok(api.GET('/segments/{id}', { params: { path: { id } }, signal })),
  });
}

export function useGrowth(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'segments', id, 'growth'],
    queryFn: ({ signal }) =>
      ok(api.GET('/segments/{id}/growth', { params: { path: { id }, query: { days: 90 } }, signal })),
  });
}

/** Each rule of the segment for one contact. */
export function useExplanation(id: number, contactId: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'segments', id, 'explain', contactId],
    queryFn: ({ signal }) =>
      ok(api.GET('/segments/{id}/explain', { params: { path: { id }, query: { contact_id: contactId } }, signal })),
  });
}

/** How many contacts the rules select, some of them, and how long it took. Cancels a request for earlier rules. */
export function usePreview(conditions: RuleGroup | null) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'segments', 'preview', JSON.stringify(conditions)],
    enabled: conditions !== null,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      const began = performance.now();
      const body = { conditions: (conditions ?? { rules: [] }) as Segment['conditions'], sample: 5 };
      const { count, sample = [] } = await ok(api.POST('/segments/preview', { body, signal }));
      return { count, sample, seconds: (performance.now() - began) / 1_000 };
    },
  });
}

export function everySegment(api: Api, signal: AbortSignal) {
  return everyRow(async (query) => {
    const { segments, pagination } = await ok(api.GET('/segments', { params: { query }, signal }));
    return { rows: segments, total: pagination.total };
  });
}
