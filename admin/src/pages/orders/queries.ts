import { useQuery } from '@tanstack/react-query';
import { type Api, dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Order = Model<'Order'>;
export type OrderStatus = Order['status'];

export function readOrder(api: Api, id: number, signal?: AbortSignal): Promise<Order> {
  return dataOf(api.GET('/orders/{id}', { params: { path: { id } }, signal }));
}

export function useOrder(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'orders', id],
    meta: { live: ['orders'] },
    queryFn: ({ signal }) => readOrder(api, id, signal),
  });
}

export function moveOrder(
  api: Api,
  id: number,
  body: { status?: OrderStatus; tracking_number?: string | null; carrier?: string },
): Promise<Order> {
  return dataOf(api.PATCH('/orders/{id}/status', { params: { path: { id } }, body }));
}
