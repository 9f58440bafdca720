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

/** The lists, segments and templates to choose from, and the campaigns that the campaign's audience names. */
export function useChoices(campaign: Campaign | null) {
  const { api, company } = useShop();
  const ids = (campaign?.audiences ?? []).flatMap(({ unopened_campaign_id: id }) => id ?? []);
  const nameOf = async (campaign_id: number, signal: AbortSignal) => {
    const { data } = await api.GET('/campaigns/{id}', { params: { path: { id: campaign_id } }, signal });
    return { campaign_id, name: data?.name ?? `#${campaign_id}` };
  };
  return useQuery({
    queryKey: [company.id, 'campaigns', 'choices', ids],
    queryFn: async ({ signal }) => {
      const [lists, segments, templates, unopened] = await Promise.all([
        everyList(api, signal),
        everySegment(api, signal),
        everyTemplate(api, signal),
        Promise.all(ids.map((id) => nameOf(id, signal))),
      ]);
      return { lists, segments, templates, unopened };
    },
  });
}
export type Choices = NonNullable<ReturnType<typeof useChoices>['data']>;
