import { useQuery } from '@tanstack/react-query';
import { type Api, ok } from '../api/client.ts';
import { useShop } from '../app/session.tsx';

/** The company's records that rules may refer to. */
export interface Offer {
  eventTypes: { event_type: string; required_keys: string[] }[];
  lists: { list_id: number; name: string }[];
}

export const NO_OFFER: Offer = { eventTypes: [], lists: [] };

/** Data of the shop's own orders, in addition to the required keys. */
const OF_ORDERS = ['items.product_id', 'items.name', 'items.categories', 'items.price', 'items.quantity', 'currency'];

const OF_SHIPPED = ['order_id', 'email', 'total', 'tracking_number', 'carrier', 'shipping_method'];

/** Names of data to suggest for events of the type. */
export function dataOf({ eventTypes }: Offer, eventType: string | null): string[] {
  const known = eventTypes.find(({ event_type }) => event_type === eventType)?.required_keys ?? [];
  if (eventType === 'order_shipped') return [...new Set([...known, ...OF_SHIPPED, ...OF_ORDERS])];
  return eventType === 'order_placed' || eventType === 'order_completed'
    ? [...new Set([...known, ...OF_ORDERS])]
    : known;
}

const PER_PAGE = 100;

async function load(api: Api, signal: AbortSignal): Promise<Offer> {
  const [{ event_types }, { lists }] = await Promise.all([
    ok(api.GET('/event-types', { signal })),
    ok(api.GET('/lists', { params: { query: { per_page: PER_PAGE } }, signal })),
  ]);
  return { eventTypes: event_types, lists };
}

/** The lists and event types that a rule builder offers. */
export function useOffer(): Offer {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'rules', 'offer'],
    staleTime: 60_000,
    queryFn: ({ signal }) => load(api, signal),
  });
  return data ?? NO_OFFER;
}
