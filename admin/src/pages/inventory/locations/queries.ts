import { useQuery } from '@tanstack/react-query';
import { dataOf, type Model } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';

export type Location = Model<'Location'>;

export function useLocation(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'locations', id],
    queryFn: ({ signal }) => dataOf(api.GET('/locations/{id}', { params: { path: { id } }, signal })),
  });
}

/** All locations, by position; a company has at most 100. */
export function useLocations() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'locations', 'all'],
    queryFn: ({ signal }) => dataOf(api.GET('/locations', { params: { query: { per_page: 100 } }, signal })),
  });
}
