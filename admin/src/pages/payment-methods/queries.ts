import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type PaymentMethod = Model<'PaymentMethod'>;

export function usePaymentMethod(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'payment-methods', id],
    queryFn: ({ signal }) => dataOf(api.GET('/payment-methods/{id}', { params: { path: { id } }, signal })),
  });
}
