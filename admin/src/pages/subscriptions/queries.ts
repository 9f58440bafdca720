import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Subscription = Model<'Subscription'>;
export const STATUSES: readonly Subscription['status'][] = ['active', 'paused', 'past_due', 'cancelled', 'expired'];

export function useSubscription(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'subscriptions', id],
    queryFn: ({ signal }) => dataOf(api.GET('/subscriptions/{id}', { params: { path: { id } }, signal })),
  });
}

/** The next order as it would be placed; none for a subscription that is paused or has ended. */
export function useUpcoming(subscription: Subscription) {
  const { api, company } = useShop();
  const { id, status } = subscription;
  return useQuery({
    queryKey: [company.id, 'subscriptions', id, 'upcoming'],
    enabled: status === 'active' || status === 'past_due',
    queryFn: ({ signal }) => dataOf(api.GET('/subscriptions/{id}/upcoming', { params: { path: { id } }, signal })),
  });
}

export function useSubscriptionOrders(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'subscriptions', id, 'orders'],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/subscriptions/{id}/orders', { params: { path: { id }, query: { per_page: 10 } }, signal })),
  });
}

export function useSubscriptionHistory(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'subscriptions', id, 'history'],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/subscriptions/{id}/history', { params: { path: { id }, query: { per_page: 100 } }, signal })),
  });
}

export function useFrequencies() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'subscription-frequencies'],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/subscription-frequencies', { params: { query: { per_page: 100 } }, signal })),
  });
}
