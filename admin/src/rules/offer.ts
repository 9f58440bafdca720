import { useQueries, useQuery } from '@tanstack/react-query';
import { type Api, dataOf, ok, rowsOf } from '../api/client.ts';
import { everyRow } from '../api/pages.ts';
import { useShop } from '../app/session.tsx';

/** The company's records that rules may refer to. */
export interface Offer {
  eventTypes: { event_type: string; required_keys: string[] }[];
  lists: { list_id: number; name: string }[];
  collections: { id: number; name: string }[];
}

export const NO_OFFER: Offer = { eventTypes: [], lists: [], collections: [] };

/** Data of the shop's own orders, in addition to the required keys. */
const OF_ORDERS = [
  ...['items.product_id', 'items.parent_id', 'items.sku', 'items.name', 'items.variant_title', 'items.categories'],
  ...['items.price', 'items.quantity', 'currency'],
];

const OF_SHIPPED = ['order_id', 'email', 'total', 'tracking_number', 'carrier', 'shipping_method'];

/** Names of data to suggest for events of the type. */
export function namesOf({ eventTypes }: Offer, eventType: string | null): string[] {
  const known = eventTypes.find(({ event_type }) => event_type === eventType)?.required_keys ?? [];
  if (eventType === 'order_shipped') return [...new Set([...known, ...OF_SHIPPED, ...OF_ORDERS])];
  return eventType === 'order_placed' || eventType === 'order_completed'
    ? [...new Set([...known, ...OF_ORDERS])]
    : known;
}

const PER_PAGE = 100;

export function loadCollections(api: Api, signal: AbortSignal): Promise<{ id: number; name: string }[]> {
  return everyRow((query) => rowsOf(api.GET('/collections', { params: { query }, signal })));
}

async function load(api: Api, signal: AbortSignal): Promise<Offer> {
  const [{ event_types }, { lists }, collections] = await Promise.all([
    ok(api.GET('/event-types', { signal })),
    ok(api.GET('/lists', { params: { query: { per_page: PER_PAGE } }, signal })),
    loadCollections(api, signal),
  ]);
  return { eventTypes: event_types, lists, collections };
}

/** The lists, collections and event types that a rule builder offers. */
export function useOffer(): Offer {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'rules', 'offer'],
    staleTime: 60_000,
    queryFn: ({ signal }) => load(api, signal),
  });
  return data ?? NO_OFFER;
}

const MINUTES_MS = 300_000;

/** The names of products, by id, as far as they are known. */
export function useProductNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const { api, company } = useShop();
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: [company.id, 'products', id, 'name'],
      staleTime: MINUTES_MS,
      // A product that is gone has no name.
      retry: false,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { name } = await dataOf(api.GET('/products/{id}', { params: { path: { id: String(id) } }, signal }));
        return [id, name] as const;
      },
    })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data === undefined ? [] : [data]))),
  });
}
