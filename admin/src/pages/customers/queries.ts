import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Customer = Model<'Customer'>;

export function nameOf(customer: Customer): string {
  return `${customer.first_name} ${customer.last_name}`.trim() || customer.email;
}

export function useCustomer(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'customers', id],
    queryFn: ({ signal }) => dataOf(api.GET('/customers/{id}', { params: { path: { id } }, signal })),
  });
}
