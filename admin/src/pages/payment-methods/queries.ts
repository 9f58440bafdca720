import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type PaymentMethod = Model<'PaymentMethod'>;

export function usePaymentMethod(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'payment-methods', id],
    queryFn: ({ signal }) => dataOf(api.GET('/payment-methods/{id}', { params: { path: { id } }, signal })),
  });
}

/** Every method, those that are off among them, in the order in which they are offered. */
export function usePaymentMethods() {
  const { api, company, can } = useShop();
  return useQuery({
    queryKey: [company.id, 'payment-methods', 'all'],
    enabled: can('settings:read'),
    queryFn: async ({ signal }) =>
      (await rowsOf(api.GET('/payment-methods', { params: { query: { per_page: 100 } }, signal }))).rows,
  });
}
