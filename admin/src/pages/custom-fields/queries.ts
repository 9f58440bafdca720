import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { everyRow } from '../../api/pages.ts';
import { useShop } from '../../app/session.tsx';

export type CustomField = Model<'CustomField'>;

export function useCustomField(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'custom-fields', id],
    queryFn: ({ signal }) => dataOf(api.GET('/custom-fields/{id}', { params: { path: { id } }, signal })),
  });
}

/** The custom fields of a kind of record, by position; none for people who may not read them. */
export function useCustomFields(on: CustomField['on']) {
  const { api, company, can } = useShop();
  const allowed = can('settings:read');
  return useQuery({
    queryKey: [company.id, 'custom-fields', 'on', on, allowed],
    queryFn: async ({ signal }): Promise<CustomField[]> =>
      allowed
        ? everyRow((page) => rowsOf(api.GET('/custom-fields', { params: { query: { ...page, on } }, signal })))
        : [],
  });
}
