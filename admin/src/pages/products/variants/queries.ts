import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type BodyOf, dataOf, rowsOf } from '../../../api/client.ts';
import { everyRow } from '../../../api/pages.ts';
import { useShop } from '../../../app/session.tsx';
import { gathered } from '../../custom-fields/fields.tsx';
import type { Product } from '../queries.ts';
import type { Change } from './grid.ts';

export type GenerateBody = BodyOf<'/products/{id}/variants/generate', 'post'>;

const keyOf = (company: { id: number }, parent: number) => [company.id, 'products', parent, 'variants'] as const;

/** All variants of a product, by position. */
export function useVariants(parent: number) {
  const { api, company } = useShop();
  const path = { id: String(parent) };
  return useQuery({
    queryKey: keyOf(company, parent),
    queryFn: ({ signal }) =>
      everyRow((query) => rowsOf(api.GET('/products/{id}/variants', { params: { path, query }, signal }))),
  });
}

/** Saves changes of variants and shows them at once. */
export function useSaveVariants(parent: number): (changes: Change[]) => Promise<void> {
  const { api, company } = useShop();
  const client = useQueryClient();
  return async (changes) => {
    const products = changes.map((change) => gathered<Change>(change));
    const saved = await dataOf(api.PATCH('/products', { body: { products } }));
    const byId = new Map(saved.map((product) => [product.id, product]));
    client.setQueryData<Product[]>(keyOf(company, parent), (rows) => rows?.map((row) => byId.get(row.id) ?? row));
  };
}
