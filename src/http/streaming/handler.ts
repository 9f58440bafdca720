import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { type Held, Streamed, StreamedText } from '../../lib/streamed.ts';
import { type ExportEntry, exportEntryOf } from '../api/audit/exported.ts';
import type { Route } from '../api/endpoint.ts';
import { envelopeOf } from '../api/long-responses.ts';
import type { HttpPort } from '../api/port.ts';
import type { CallReader } from '../api/read-call.ts';
import { JSON_TYPE } from '../api/serializer.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { streamOf } from './send.ts';
import { streamWriterOf } from './streamed.ts';

/** Handles an endpoint whose response is sent while it is read. Where it fails, nothing has been sent. */
export function streamingHandlerOf(port: HttpPort, surface: Surface, route: Route, readCall: CallReader) {
  const { endpoint } = route;
  if (endpoint.method !== 'GET') throw new Error(`${endpoint.path} streams and is no GET`);
  const entryOf = exportEntryOf(endpoint);
  const write = endpoint.contentType === undefined ? streamWriterOf(endpoint.data) : null;

  return async (request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<FastifyReply> => {
    return sendStreamed(port, request, reply, caller, async () => {
      const call = readCall(request, reply, caller);
      const { data, ...response } = route.present(await route.handle(call));
      const entry = entryOf(call);
      const { status } = endpoint;
      if (write === null) {
        if (!(data instanceof StreamedText)) throw new Error(`${endpoint.path} must give a StreamedText`);
        reply.header('Content-Disposition', `attachment; filename="${data.fileName}"`);
        const { contentType } = endpoint;
        const type = contentType === 'text/csv' ? `${contentType}; charset=utf-8` : contentType!;
        return { pieces: data.pieces, type, status, entry, ...data.held };
      }
      if (!(data instanceof Streamed)) throw new Error(`${endpoint.path} must give a Streamed`);
      const { before, after } = envelopeOf(surface, endpoint, { data, ...response }, caller.requestId);
      return { pieces: around(before, write(data), after), type: JSON_TYPE, status, entry };
    });
  };
}

interface Begun extends Held {
  pieces: AsyncIterable<string | Uint8Array>;
  type: string;
  status: number;
  entry: ExportEntry;
}

/**
 * Sends pieces while they are read, using one of the company's stream slots. The audit log has its entry before anything is sent. If `begin`
 * fails, nothing has been sent.
 */
export async function sendStreamed(
  port: HttpPort,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  begin: () => Promise<Begun>,
): Promise<FastifyReply> {
  const hold = request.server.limits.beginStream(caller.companyId);
  try {
    const { pieces, type, status, entry, close, limitMs } = await begin();
    if (request.method !== 'HEAD') await recordExport(port, caller, { entry, close });
    const onError = logCut(port, request, caller);
    // A buffering proxy reads faster than its client, and hides that the client has gone.
    reply.code(status).header('Content-Type', type).header('X-Accel-Buffering', 'no');
    return reply.send(streamOf(pieces, { onError, onEnd: hold.release, close, limitMs }));
  } catch (error) {
    hold.release();
    throw error;
  }
}

async function recordExport(
  { db }: HttpPort,
  { companyId, actor, now: at }: Caller,
  { entry, close }: Pick<Begun, 'entry' | 'close'>,
): Promise<void> {
  try {
    await db.tenantTx(companyId, (tx) => recordAuditEntry(tx, companyId, { ...entry, at, actor }));
  } catch (error) {
    await close?.();
    throw error;
  }
}

/** Logs a stream that fails after the status was sent. */
export function logCut(port: HttpPort, request: FastifyRequest, caller: Caller): (error: unknown) => void {
  return (error) =>
    port.log.error(
      { err: error, request_id: caller.requestId, route: request.routeOptions.url },
      'a response was cut off',
    );
}

async function* around(before: string, pieces: AsyncIterable<string>, after: string): AsyncGenerator<string> {
  if (before !== '') yield before;
  yield* pieces;
  if (after !== '') yield after;
}
