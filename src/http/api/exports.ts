import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { Caller } from '../../caller.ts';
import { AppError } from '../../errors.ts';
import { csvLine } from '../../lib/csv/write.ts';
import { begun } from '../../lib/streamed.ts';
import { exportEntryOf } from './audit.ts';
import {
  type Call,
  type Endpoint,
  FORMATS,
  type Format,
  type ListOrder,
  OF_A_PAGE,
  type Route,
  recordSchemaOf,
  recordsField,
} from './endpoint.ts';
import type { HttpPort } from './port.ts';
import type { CallReader } from './read-call.ts';
import { PIECE_LENGTH, type Serializer } from './serializer.ts';
import { sendStreamed } from './streaming.ts';

/*
 * Every list whose contract declares its order (`inOrderOf`) accepts the parameter `format` and then returns everything that matches its
 * filters as a file, sent while it is read. The list's own handler reads it page by page, with the list's scope, lane and records. A new
 * list needs nothing more.
 */

export function asksForExport({ inOrderOf }: Endpoint, request: FastifyRequest): boolean {
  return inOrderOf !== undefined && (request.query as Record<string, unknown>).format !== undefined;
}

/** Handles requests to a list with `format`. If it fails, nothing has been sent. See docs/design/exports.md. */
export function exportHandlerOf(port: HttpPort, route: Route, readCall: CallReader, serializer: Serializer) {
  const { endpoint } = route;

  const field = recordsField(endpoint);
  const entryOf = exportEntryOf(endpoint);

  /** Returns the records as the list shows them. Other requests are served between two large ones. */
  async function shown(list: unknown): Promise<Shown[]> {
    const records: Shown[] = [];
    let length = 0;
    for (const record of list as unknown[]) {
      const text = serializer.record(record);
      for (const one of JSON.parse(`[${text}]`) as Shown[]) records.push(one);
      length += text.length;
      if (length < PIECE_LENGTH) continue;
      length = 0;
      await setImmediate();
    }
    return records;
  }

  function listingOf(call: Call<Endpoint>): Listing {
    return {
      async page(query) {
        const asked = { ...call, query: { ...call.query, ...query } as typeof call.query };
        const { data } = route.present(await route.handle(asked));
        if (field === null) return { records: await shown(data), next: null };
        const { [field]: records, pagination } = data as Record<string, unknown> & { pagination: Shown };
        return { records: await shown(records), next: pagination.next_cursor };
      },
      async behind(place, limit) {
        const walked = await route.behind!(call, place, limit);
        return { records: await shown(route.present(walked).data), next: walked.next };
      },
    };
  }

  /** Yields all records, in the order of `sort` if present. */
  async function* recordsFor(call: Call<Endpoint>): AsyncGenerator<Shown[]> {
    if ((call.query as { sort?: string }).sort === undefined)
      return yield* recordsOf(listingOf(call), endpoint.inOrderOf!);
    for await (const page of route.inOrder!(call)) yield await shown(route.present(page).data);
  }

  return async (request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<FastifyReply> => {
    const call = readCall(request, reply, caller);
    const superfluous = OF_A_PAGE.find((name) => (request.query as Record<string, unknown>)[name] !== undefined);
    if (superfluous !== undefined)
      throw new AppError('bad_request', `${superfluous} cannot be combined with format: an export has the whole list`);
    const { format, ...filters } = call.query as unknown as { format: Format } & Record<string, unknown>;
    for (const name of OF_A_PAGE) delete filters[name];
    request.isExport = true;
    // For @fastify/compress: streams handle back-pressure themselves, and cut the connection if they fail.
    request.headers['x-no-compression'] = '1';
    return sendStreamed(port, request, reply, caller, async () => {
      const pages = recordsFor({ ...call, query: filters as typeof call.query });
      // The first page triggers any refusal.
      const all = await begun(pages);
      reply.header('Content-Disposition', `attachment; filename="${nameOf(endpoint, call.params)}.${format}"`);
      const forSpreadsheet = call.visitor !== null && call.visitor.session !== null;
      const members = (await route.columns?.(call)) ?? {};
      const pieces = written(all, { endpoint, format, forSpreadsheet, members });
      return {
        pieces,
        type: FORMATS[format],
        status: 200,
        entry: entryOf({ ...call, query: { format, ...filters } as typeof call.query }),
      };
    });
  };
}

/** `/flows/{id}/runs` → flows-7-runs */
function nameOf({ path }: Endpoint, params: Record<string, unknown>): string {
  const filled = path.slice(1).replace(/\{(\w+)\}/g, (_match, name: string) => String(params[name]));
  return filled.replace(/[^A-Za-z0-9]+/g, '-');
}

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

/** Without it, spreadsheets assume the computer's legacy code page. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Yields the pieces of a file. CSV has the fields of the records' schema; values that are not plain are JSON. A field in `members` has a
 * column for each of these in its place.
 */
export async function* written(
  pages: AsyncIterable<Shown[]>,
  {
    endpoint,
    format,
    forSpreadsheet,
    members = {},
  }: {
    endpoint: Endpoint;
    format: Format;
    forSpreadsheet: boolean;
    members?: Readonly<Record<string, readonly string[]>>;
  },
): AsyncGenerator<string> {
  if (format === 'jsonl') return yield* inPieces(pages, (record) => `${JSON.stringify(record)}\n`);
  const columns = Object.keys((recordSchemaOf(endpoint) as TObject).properties).flatMap((field): Column[] =>
    Object.hasOwn(members, field) ? members[field]!.map((member) => ({ field, member })) : [{ field, member: null }],
  );
  const names = columns.map(({ field, member }) => (member === null ? field : `${field}.${member}`));
  yield (forSpreadsheet ? BYTE_ORDER_MARK : '') + csvLine(names);
  yield* inPieces(pages, (record) => csvLine(columns.map((column) => cellOf(record, column))));
}

interface Column {
  field: string;
  member: string | null;
}

function cellOf(record: Shown, { field, member }: Column): unknown {
  if (member === null) return record[field];
  const members = record[field] as Shown;
  // A key of a custom field may be the name of a method of objects.
  return Object.hasOwn(members, member) ? members[member] : undefined;
}

/** Yields records in pieces; other requests are served between two. */
async function* inPieces(pages: AsyncIterable<Shown[]>, lineOf: (record: Shown) => string): AsyncGenerator<string> {
  for await (const page of pages) {
    let text = '';
    for (const record of page) {
      text += lineOf(record);
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
      await setImmediate();
    }
    if (text !== '') yield text;
  }
}
