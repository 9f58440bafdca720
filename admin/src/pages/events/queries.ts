import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ok } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import type { SearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { daysBefore, startOfDay } from '../../ui/form/days.ts';

type Response = paths['/events']['get']['responses'][200]['content']['application/json'];
export type ShopEvent = Response['events'][number];

const PER_PAGE = 50;
/** Polling interval where the live stream is missing. */
const TAIL_MS = 15_000;

/** Converts the filters in the address to parameters of the API; whole days in the shop's time zone. */
function queryOf({ event_type, contact_id, from, to, cursor }: SearchValues, timeZone: string) {
  return {
    per_page: PER_PAGE,
    ...(event_type ? { event_type } : {}),
    ...(/^[1-9]\d{0,14}$/.test(contact_id ?? '') ? { contact_id: Number(contact_id) } : {}),
    ...(isDay(from) ? { from: startOfDay(from, timeZone).toISOString() } : {}),
    ...(isDay(to) ? { to: startOfDay(daysBefore(to, -1), timeZone).toISOString() } : {}),
    ...(cursor ? { cursor } : {}),
  };
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The last received first; polled while `tail`. */
export function useEvents(values: SearchValues, tail: boolean) {
  const { api, company } = useShop();
  const query = queryOf(values, company.time_zone);
  return useQuery({
    queryKey: [company.id, 'events', query],
    placeholderData: keepPreviousData,
    refetchInterval: tail ? TAIL_MS : false,
    meta: tail ? { live: ['events'] } : {},
    queryFn: ({ signal }) => ok(api.GET('/events', { params: { query }, signal })),
  });
}

export function useEventTypes() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'event-types'],
    queryFn: ({ signal }) => ok(api.GET('/event-types', { signal })),
  });
}

/** The address of a contact, or null of one that was erased. */
export function useContactAddress(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'contacts', id],
    queryFn: ({ signal }) => ok(api.GET('/contacts/{id}', { params: { path: { id } }, signal })),
    select: ({ email, phone }) => email ?? phone,
    retry: false,
  });
}
