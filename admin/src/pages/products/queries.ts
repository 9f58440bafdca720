import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Product = Model<'Product'>;

/** Lower stocks deserve attention. */
export const LOW_STOCK = 10;

export function useProduct(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'products', id],
    queryFn: ({ signal }) => dataOf(api.GET('/products/{id}', { params: { path: { id: String(id) } }, signal })),
  });
}

export function useUpdateProduct(id: number) {
  const { api } = useShop();
  return (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Product> =>
    dataOf(api.PATCH('/products/{id}', { params: { path: { id: String(id) } }, headers, body }));
}
