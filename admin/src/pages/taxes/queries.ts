import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type TaxRule = Model<'TaxRule'>;

export function useTaxRule(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'taxes', id],
    queryFn: ({ signal }) => dataOf(api.GET('/tax-rules/{id}', { params: { path: { id } }, signal })),
  });
}
