import { useQuery } from '@tanstack/react-query';
import { dataOf, type ResponseOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { useLocations } from '../locations/queries.ts';

export type Transfer = ResponseOf<'/inventory/transfers/{id}'>['data'];

export const LIST = 'inventory/transfers';

export function useTransfer(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'transfers', id],
    queryFn: ({ signal }) => dataOf(api.GET('/inventory/transfers/{id}', { params: { path: { id } }, signal })),
  });
}

/** Returns the name of a location by its id; its number while the names are loading. */
export function useLocationName(): (id: number) => string {
  const { data = [] } = useLocations();
  return (id) => data.find((one) => one.id === id)?.name ?? `#${id}`;
}

/** Units that were sent, and neither arrived nor returned. */
export function openOf({ qty, received, missing, returned }: Transfer['lines'][number]): number {
  return qty - received - missing - returned;
}
