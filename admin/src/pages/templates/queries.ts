import { useQuery } from '@tanstack/react-query';
import { type Api, type BodyOf, type Model, ok } from '../../api/client.ts';
import { everyRow } from '../../api/pages.ts';
import { useShop } from '../../app/session.tsx';

export type Template = Model<'Template'>;
export type TemplateBody = BodyOf<'/templates', 'post'>;

export function useTemplate(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'templates', id],
    queryFn: ({ signal }) => ok(api.GET('/templates/{id}', { params: { path: { id } }, signal })),
  });
}

export function everyTemplate(api: Api, signal: AbortSignal, channel?: 'email' | 'sms') {
  return everyRow(async (page) => {
    const query = { ...page, ...(channel === undefined ? {} : { channel }) };
    const { templates, pagination } = await ok(api.GET('/templates', { params: { query }, signal }));
    return { rows: templates, total: pagination.total };
  });
}
