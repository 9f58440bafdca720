import type { ListOrder } from '../api/endpoint.ts';

/** A record of a list, as its response shows it. */
export type Shown = Record<string, unknown>;

/** A list as read by an export. */
export interface Listing {
  /** Returns the list's page for this query, in addition to its filters. */
  page(query: Record<string, unknown>): Promise<{ records: Shown[]; next: unknown }>;
  /** Returns at most `limit` records after a place; from the first record if it is null. */
  behind(place: string | null, limit: number): Promise<{ records: Shown[]; next: string | null }>;
}

/** The largest page size of the APIs. */
const PER_PAGE = 100;

type ByPages = Extract<ListOrder, { by: string }>;
type Place = string | number;

/**
 * Yields all records of a list in pages, each read on request; no snapshot or lock is held in between. A record present the whole time
 * appears exactly once, whatever is added and removed meanwhile.
 */
export async function* recordsOf(list: Listing, order: ListOrder): AsyncGenerator<Shown[]> {
  if ('by' in order) return yield* byPages(list, order);
  let last: unknown;
  for (;;) {
    const { records, next } = await pageBehind(list, order, last);
    if (records.length > 0) yield records;
    if (next === null || next === undefined) return;
    last = next;
  }
}

async function pageBehind(
  list: Listing,
  order: Exclude<ListOrder, ByPages>,
  last: unknown,
): Promise<{ records: Shown[]; next: unknown }> {
  if ('cursor' in order) return list.page({ per_page: PER_PAGE, cursor: last });
  if ('behind' in order) return list.behind((last as string | undefined) ?? null, PER_PAGE);
  const { records } = await list.page({ per_page: PER_PAGE, before: last });
  return { records, next: records.length < PER_PAGE ? null : records.at(-1)![order.before] };
}

/**
 * Each page starts with the last record of the previous one, which reveals what changed before it: added records push others back, and
 * those are skipped the second time; after removals the page is read again from further ahead.
 */
async function* byPages(list: Listing, { by, id = by, direction }: ByPages): AsyncGenerator<Shown[]> {
  const identity = (record: Shown): unknown => (id === null ? JSON.stringify(record) : record[id]);
  const isBefore = (a: Place, b: Place): boolean => (direction === 'asc' ? a < b : a > b);
  let skip = 0;
  let last: Place | null = null;
  /** Records already yielded that are at the same place as the last one. */
  let equals = new Set<unknown>();
  const hasCome = (record: Shown): boolean =>
    last !== null && (isBefore(record[by] as Place, last) || (record[by] === last && equals.has(identity(record))));
  for (;;) {
    const from: number = last === null ? 0 : skip - 1;
    const { records } = await list.page({ per_page: PER_PAGE, skip: from });
    const first = records[0];
    if (from > 0 && (first === undefined || !hasCome(first))) {
      skip = Math.max(1, skip - (PER_PAGE - 1));
      continue;
    }
    const fresh = records.filter((record) => !hasCome(record));
    if (fresh.length > 0) {
      const place = fresh.at(-1)![by] as Place;
      if (place !== last) equals = new Set();
      last = place;
      for (const record of fresh) if (record[by] === place) equals.add(identity(record));
      yield fresh;
    }
    if (records.length < PER_PAGE) return;
    skip = from + records.length;
  }
}
