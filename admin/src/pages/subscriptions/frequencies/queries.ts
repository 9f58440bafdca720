import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';

export type Frequency = Model<'SubscriptionFrequency'>;

export function useFrequency(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'subscription-frequencies', id],
    queryFn: ({ signal }) => dataOf(api.GET('/subscription-frequencies/{id}', { params: { path: { id } }, signal })),
  });
}
