import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../caller.ts';
import { AppError } from '../../errors.ts';
import { begun } from '../../lib/streamed.ts';
import { exportEntryOf } from '../api/audit/exported.ts';
import { type Call, type Endpoint, type Route, recordsField } from '../api/endpoint.ts';
import type { HttpPort } from '../api/port.ts';
import type { CallReader } from '../api/read-call.ts';
import { PIECE_LENGTH, type Serializer } from '../api/serializer.ts';
import { sendStreamed } from '../streaming/handler.ts';
import { FORMATS, type Format, OF_A_PAGE } from './format.ts';
import { type Listing, recordsOf, type Shown } from './records.ts';
import { written } from './writers.ts';

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
      const pieces = written(all, { endpoint, format, forSpreadsheet });
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
