import { useQuery } from '@tanstack/react-query';
import { type Model, ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Flow = Model<'Flow'>;
export type Step = Flow['steps'][number];
export type Stats = ResponseOf<'/flows/{id}/stats'>;
export type StepNumbers = Stats['steps'][number];
/** Counts of a flow, for its drawing. */
export interface FlowNumbers {
  entered: number;
  steps: ReadonlyMap<string, StepNumbers>;
}

/** Polling interval where the live stream is missing. */
const REFRESH_MS = 15_000;

export function useFlow(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'flows', id],
    queryFn: ({ signal }) => ok(api.GET('/flows/{id}', { params: { path: { id } }, signal })),
  });
}

/** The numbers of a flow and of its steps, polled while it is active. */
export function useStats({ flow_id: id, status }: Flow) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'flows', id, 'stats'],
    meta: { live: ['flows'], everyMs: 2_000 },
    queryFn: ({ signal }) => ok(api.GET('/flows/{id}/stats', { params: { path: { id } }, signal })),
    refetchInterval: status === 'active' ? REFRESH_MS : false,
  });
}
