import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Zone = Model<'ShippingZone'>;
export type Method = Model<'ShippingMethod'>;

/** What a list may have at once; a shop with more zones is shown its first hundred. */
const MOST = 100;

export function useZones() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'shipping', 'zones'],
    queryFn: ({ signal }) => rowsOf(api.GET('/shipping-zones', { params: { query: { per_page: MOST } }, signal })),
  });
}

export function useMethods() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'shipping', 'methods'],
    queryFn: ({ signal }) => rowsOf(api.GET('/shipping-methods', { params: { query: { per_page: MOST } }, signal })),
  });
}

export function useZone(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'shipping', 'zones', id],
    queryFn: ({ signal }) => dataOf(api.GET('/shipping-zones/{id}', { params: { path: { id } }, signal })),
  });
}

export function useMethod(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'shipping', 'methods', id],
    queryFn: ({ signal }) => dataOf(api.GET('/shipping-methods/{id}', { params: { path: { id } }, signal })),
  });
}
