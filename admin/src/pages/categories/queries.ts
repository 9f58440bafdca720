import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dataOf, type Model, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Category = Model<'Category'>;

const SUGGESTED = 10;

export function useCategory(slug: string) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'categories', slug],
    queryFn: ({ signal }) => dataOf(api.GET('/categories/{slug}', { params: { path: { slug } }, signal })),
  });
}

/** The first categories whose name or slug has the text. */
export function useSuggested(search: string) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'categories', 'suggested', search],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/categories', { params: { query: { search, per_page: SUGGESTED } }, signal })),
  });
}

const PAGE = 100;
const MAX_NAMED = 500;

/** The names of the first categories, by slug. */
export function useCategoryNames(): ReadonlyMap<string, string> {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'categories', 'names'],
    queryFn: async ({ signal }) => {
      const named: Category[] = [];
      for (let page = 1; page <= MAX_NAMED / PAGE; page++) {
        const query = { page, per_page: PAGE };
        const { rows, total } = await rowsOf(api.GET('/categories', { params: { query }, signal }));
        named.push(...rows);
        if (named.length >= total || rows.length < PAGE) break;
      }
      return named;
    },
  });
  return new Map(data?.map(({ slug, name }) => [slug, name]));
}
