import { useQuery } from '@tanstack/react-query';
import { ok } from '../../../api/client.ts';
import { everyRow } from '../../../api/pages.ts';
import { useShop } from '../../../app/session.tsx';
import { everyList } from '../../lists/queries.ts';
import { everyTemplate } from '../../templates/queries.ts';

export interface Choice {
  value: string;
  label: string;
}

const MINUTE_MS = 60_000;

/** Returns the shop's records that a step may refer to: event types, templates, lists, other flows. */
export function useChoices(of: 'event' | 'template' | 'list' | 'flow'): Choice[] {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'choices', of],
    staleTime: MINUTE_MS,
    queryFn: async ({ signal }): Promise<Choice[]> => {
      switch (of) {
        case 'event': {
          const { event_types } = await ok(api.GET('/event-types', { signal }));
          return event_types.map(({ event_type }) => ({ value: event_type, label: event_type }));
        }
        case 'template': {
          const templates = await everyTemplate(api, signal, 'email');
          return templates.map(({ template_id, name }) => ({ value: String(template_id), label: name }));
        }
        case 'list': {
          const lists = await everyList(api, signal);
          return lists.map(({ list_id, name }) => ({ value: String(list_id), label: name }));
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
