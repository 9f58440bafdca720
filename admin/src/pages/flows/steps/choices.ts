import { useQuery } from '@tanstack/react-query';
import { SHOP_TYPES } from '../../../../../src/marketing/events/event-types/built-in.ts';
import { ok } from '../../../api/client.ts';
import { everyRow } from '../../../api/pages.ts';
import { useShop } from '../../../app/session.tsx';
import { tOf } from '../../../i18n/i18n.ts';
import { everyList } from '../../lists/queries.ts';
import { everySegment } from '../../segments/queries.ts';
import { everyTemplate } from '../../templates/queries.ts';
import '../../events/words.ts';

export interface Choice {
  value: string;
  label: string;
}

const MINUTE_MS = 60_000;

/** Returns the shop's records that a step may refer to: event types, templates, lists, segments, other flows. */
export function useChoices(of: 'event' | 'template' | 'list' | 'segment' | 'flow'): Choice[] {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'choices', of],
    staleTime: MINUTE_MS,
    queryFn: async ({ signal }): Promise<Choice[]> => {
      switch (of) {
        case 'event': {
          const { event_types } = await ok(api.GET('/event-types', { signal }));
          const names = new Set([...event_types.map(({ event_type }) => event_type), ...SHOP_TYPES]);
          return [...names].map((name) => ({ value: name, label: tOf('event_type', name) }));
        }
        case 'template': {
          const templates = await everyTemplate(api, signal, 'email');
          return templates.map(({ template_id, name }) => ({ value: String(template_id), label: name }));
        }
        case 'list': {
          const lists = await everyList(api, signal);
          return lists.map(({ list_id, name }) => ({ value: String(list_id), label: name }));
        }
        case 'segment': {
          const segments = await everySegment(api, signal);
          return segments.map(({ segment_id, name }) => ({ value: String(segment_id), label: name }));
        }
        case 'flow': {
          const flows = await everyRow(async (query) => {
            const { flows, pagination } = await ok(api.GET('/flows', { params: { query }, signal }));
            return { rows: flows, total: pagination.total };
          });
          return flows.map(({ flow_id, name }) => ({ value: String(flow_id), label: name }));
        }
      }
    },
  });
  return data ?? [];
}
