import { useQuery } from '@tanstack/react-query';
import { dataOf, type ResponseOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';

export type Receipt = ResponseOf<'/inventory/receipts/{id}'>['data'];

export const LIST = 'inventory/receipts';

export function useReceipt(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'receipts', id],
    queryFn: ({ signal }) => dataOf(api.GET('/inventory/receipts/{id}', { params: { path: { id } }, signal })),
  });
}
