import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model, ok, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type PaymentMethod = Model<'PaymentMethod'>;
export type PaymentAccount = Model<'PaymentAccount'>;

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

/** Every account at a payment service, for owners. */
export function usePaymentAccounts() {
  const { api, company, can } = useShop();
  return useQuery({
    queryKey: [company.id, 'payment-accounts'],
    enabled: can('payments:accounts'),
    queryFn: async ({ signal }) => (await ok(api.GET('/payment-accounts', { signal }))).payment_accounts,
  });
}
