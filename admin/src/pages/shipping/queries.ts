import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { everyRow } from '../../api/pages.ts';
import { useShop } from '../../app/session.tsx';

export type Zone = Model<'ShippingZone'>;
export type Method = Model<'ShippingMethod'>;

export function useZones() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'shipping', 'zones'],
    queryFn: ({ signal }) => everyRow((query) => rowsOf(api.GET('/shipping-zones', { params: { query }, signal }))),
  });
}

export function useMethods() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'shipping', 'methods'],
    queryFn: ({ signal }) => everyRow((query) => rowsOf(api.GET('/shipping-methods', { params: { query }, signal }))),
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
