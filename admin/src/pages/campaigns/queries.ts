import { useQuery } from '@tanstack/react-query';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { everyList } from '../lists/queries.ts';
import { everySegment } from '../segments/queries.ts';
import { everyTemplate } from '../templates/queries.ts';

export type Campaign = Model<'Campaign'>;

/** Polling interval where the live stream is missing. */
const PROGRESS_MS = 10_000;

/** Polled while it is being sent. */
export function useCampaign(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'campaigns', id],
    meta: { live: ['campaigns'] },
    queryFn: ({ signal }) => ok(api.GET('/campaigns/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (data.status === 'sending' || !data.recipients_exact) ? PROGRESS_MS : false,
  });
}

export function useReport({ campaign_id: id, status, updated_at }: Campaign) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'campaigns', id, 'report', updated_at],
    meta: { live: ['campaigns'], everyMs: 3_000 },
    enabled: status !== 'draft' && status !== 'scheduled',
    queryFn: ({ signal }) => ok(api.GET('/campaigns/{id}/report', { params: { path: { id } }, signal })),
    refetchInterval: status === 'sending' ? PROGRESS_MS * 2 : false,
  });
}

/** The lists, segments and templates to choose from. */
export function useChoices() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'campaigns', 'choices'],
    queryFn: async ({ signal }) => {
      const [lists, segments, templates] = await Promise.all([
        everyList(api, signal),
        everySegment(api, signal),
        everyTemplate(api, signal),
      ]);
      return { lists, segments, templates };
    },
  });
}
export type Choices = NonNullable<ReturnType<typeof useChoices>['data']>;
