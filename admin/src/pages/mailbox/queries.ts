import { useQuery } from '@tanstack/react-query';
import { type Api, ok, type Rows } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { useShop } from '../../app/session.tsx';

type Response<Path extends '/mailbox' | '/mailbox/{id}'> =
  paths[Path]['get']['responses'][200]['content']['application/json'];
export type Entry = Response<'/mailbox'>['messages'][number];
export type Message = Response<'/mailbox/{id}'>;

export async function loadMailbox(api: Api, query: object, signal: AbortSignal): Promise<Rows<Entry>> {
  const { messages, pagination } = await ok(api.GET('/mailbox', { params: { query }, signal }));
  return { rows: messages, total: pagination.total };
}

export function useMessage(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'mailbox', id],
    queryFn: ({ signal }) => ok(api.GET('/mailbox/{id}', { params: { path: { id } }, signal })),
  });
}

export function titleOf(message: Pick<Entry, 'subject' | 'id'> & { excerpt?: string | null; text?: string }): string {
  return message.subject || message.excerpt || message.text?.slice(0, 80) || `#${message.id}`;
}
