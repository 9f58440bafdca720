import { useQuery } from '@tanstack/react-query';
import type { ProductKind } from '../../../../src/commerce/products/kinds.ts';
import { type BodyOf, dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Product = Model<'Product'>;
/** What the forms of new and of existing products send. */
export type ProductBody = BodyOf<'/products', 'post'> & BodyOf<'/products/{id}', 'patch'>;

export function kindOf(product: Product): ProductKind {
  if (product.has_variants) return 'parent';
  return product.variant_of === null ? 'simple' : 'variant';
}

export function useProduct(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'products', id],
    queryFn: ({ signal }) => dataOf(api.GET('/products/{id}', { params: { path: { id: String(id) } }, signal })),
  });
}

export function useUpdateProduct(id: number) {
  const { api } = useShop();
  return (body: BodyOf<'/products/{id}', 'patch'>, headers: Record<string, string> = {}): Promise<Product> =>
    dataOf(api.PATCH('/products/{id}', { params: { path: { id: String(id) } }, headers, body }));
}
