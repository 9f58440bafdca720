import { useQuery } from '@tanstack/react-query';
import { type Api, type Model, ok } from '../../api/client.ts';
import { everyRow } from '../../api/pages.ts';
import { useShop } from '../../app/session.tsx';

export type ContactList = Model<'List'>;

export function useList(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'lists', id],
    queryFn: ({ signal }) => ok(api.GET('/lists/{id}', { params: { path: { id } }, signal })),
  });
}

/** All lists, for choices and for names. */
export function useEveryList(enabled = true) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'lists', 'every'],
    enabled,
    queryFn: ({ signal }) => everyList(api, signal),
  });
}

export function everyList(api: Api, signal: AbortSignal) {
  return everyRow(async (query) => {
    const { lists, pagination } = await ok(api.GET('/lists', { params: { query }, signal }));
    return { rows: lists, total: pagination.total };
  });
}
