import { useQuery } from '@tanstack/react-query';
import { ok } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';

export function useMessage(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'messages', id],
    queryFn: ({ signal }) => ok(api.GET('/messages/{id}', { params: { path: { id } }, signal })),
  });
}

/** The built-in mailbox's copy of the message; null where it was sent by another transport. */
export function useCaught(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'messages', id, 'caught'],
    queryFn: async ({ signal }) => {
      try {
        return await ok(api.GET('/mailbox/{id}', { params: { path: { id } }, signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}
