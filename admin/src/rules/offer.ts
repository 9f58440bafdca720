import { useQueries, useQuery } from '@tanstack/react-query';
import { type Api, dataOf, ok, rowsOf } from '../api/client.ts';
import { everyRow } from '../api/pages.ts';
import { useShop } from '../app/session.tsx';
import { useCustomFields } from '../pages/custom-fields/queries.ts';
import type { CustomField } from './fields.ts';

/** The company's records that rules may refer to. */
export interface Offer {
  eventTypes: { event_type: string; required_keys: string[] }[];
  lists: { list_id: number; name: string }[];
  collections: { id: number; name: string }[];
  /** Of customers: those of the contacts that are customers. */
  customFields: readonly CustomField[];
}

export const NO_OFFER: Offer = { eventTypes: [], lists: [], collections: [], customFields: [] };

/** Data of the shop's own orders, in addition to the required keys. */
const OF_ORDERS = [
  ...['order_id', 'email', 'total', 'subtotal', 'discount', 'shipping', 'tax', 'shipping_method', 'shipping_country'],
  ...['items.product_id', 'items.parent_id', 'items.sku', 'items.name', 'items.variant_title', 'items.categories'],
  ...['items.price', 'items.quantity', 'currency'],
];

/** Events that the program writes about contacts. */
const OF_CONTACT_EVENTS: Readonly<Record<string, string[]>> = {
  list_joined: ['list_id', 'list_name'],
  segment_joined: ['segment_name'],
  date_reached: ['date', 'days', 'years'],
};
const OF_SHIPPED = ['tracking_number', 'carrier'];
const ORDER_EVENTS = ['order_placed', 'order_shipped', 'order_completed', 'order_cancelled'];

/** Names of data to suggest for events of the type. */
export function namesOf({ eventTypes }: Offer, eventType: string | null): string[] {
  const known = eventTypes.find(({ event_type }) => event_type === eventType)?.required_keys ?? [];
  const own = OF_CONTACT_EVENTS[eventType ?? ''];
  if (own !== undefined) return own;
  if (eventType === null || !ORDER_EVENTS.includes(eventType)) return known;
  return [...new Set([...known, ...OF_ORDERS, ...(eventType === 'order_shipped' ? OF_SHIPPED : [])])];
}

const PER_PAGE = 100;

const MINUTE_MS = 60_000;

/** All collections of the company; none before they are loaded. */
export function useCollectionNames(): Offer['collections'] {
  const { api, company } = useShop();
  const { data = [] } = useQuery({
    queryKey: [company.id, 'collections', 'names'],
    staleTime: MINUTE_MS,
    queryFn: ({ signal }) => everyRow((query) => rowsOf(api.GET('/collections', { params: { query }, signal }))),
  });
  return data;
}

async function load(api: Api, signal: AbortSignal): Promise<Pick<Offer, 'eventTypes' | 'lists'>> {
  const [{ event_types }, { lists }] = await Promise.all([
    ok(api.GET('/event-types', { signal })),
    ok(api.GET('/lists', { params: { query: { per_page: PER_PAGE } }, signal })),
  ]);
  return { eventTypes: event_types, lists };
}

/** The lists, collections and event types that a rule builder offers. */
export function useOffer(): Offer {
  const { api, company } = useShop();
  const { data: loaded = NO_OFFER } = useQuery({
    queryKey: [company.id, 'rules', 'offer'],
    staleTime: MINUTE_MS,
    queryFn: ({ signal }) => load(api, signal),
  });
  const collections = useCollectionNames();
  const { data: customFields = NO_OFFER.customFields } = useCustomFields('customer');
  return { ...loaded, collections, customFields };
}

/** Products whose names are looked up, with a request each. */
const MOST_NAMED = 20;

/** The names of the first products, by id, as far as they are known. */
export function useProductNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const { api, company } = useShop();
  return useQueries({
    queries: [...new Set(ids)].slice(0, MOST_NAMED).map((id) => ({
      queryKey: [company.id, 'products', id, 'name'],
      staleTime: 5 * MINUTE_MS,
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
