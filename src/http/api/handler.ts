import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shareOf } from '../../access/authenticator.ts';
import type { Caller, IdempotencyTicket, StoredResponse } from '../../caller.ts';
import { Replayed, SEALED, write } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import { lengthOf } from '../limits.ts';
import { isAudited, trailOf } from './audit.ts';
import { EMPTY_BODY } from './body.ts';
import { isKept } from './caching.ts';
import { type ApiResponse, type Endpoint, type Route, takesBytes } from './endpoint.ts';
import { asksForExport, exportHandlerOf } from './exports.ts';
import type { HttpPort } from './port.ts';
import { callReaderOf, type TicketFor } from './read-call.ts';
import { JSON_TYPE, serializerOf } from './serializer.ts';
import { senderOf, shopperTokensOf } from './shopper-tokens.ts';
import { bodyOf, envelopeOf, logCut, streamingHandlerOf } from './streaming.ts';
import type { Surface } from './surfaces/surface.ts';

export const EVENT_STREAM = 'text/event-stream';

/** Whose requests have no Idempotency-Key, since they belong to no company. */
const WITHOUT_REPLAY: readonly Endpoint['scope'][] = ['anyone', 'session'];

/** A long response to a GET is a stream. */
interface SentResponse {
  status: number;
  /** null without a body. */
  body: string | Readable | null;
}

/**
 * The second part of the pipeline, after admission.ts: parse, validate, handle, render. `routes` are all routes of the surface.
 * See docs/design/api.md.
 */
export function handlerOf(port: HttpPort, surface: Surface, route: Route, routes: readonly Route[]) {
  const { endpoint } = route;
  const serializer = serializerOf(endpoint);
  const mayReplay =
    (endpoint.method === 'POST' || endpoint.method === 'PATCH') &&
    (endpoint.rawBody === undefined || endpoint.body !== undefined) &&
    !WITHOUT_REPLAY.includes(endpoint.scope) &&
    !endpoint.repeatable;

  function render(response: ApiResponse, requestId: string): StoredResponse {
    const body = surface.success(endpoint, serializer.text(response.data), response, requestId);
    return { status: response.status ?? endpoint.status, body };
  }

  const ticketFor: TicketFor = (request, holder, { requestId }) => {
    if (!mayReplay || request.headers['idempotency-key'] === undefined) return null;
    const renderForStorage = (result: unknown): StoredResponse => {
      const response = render(route.present(result), requestId);
      return endpoint.returnsSecret ? { ...response, body: sealed(port, response.body) } : response;
    };
    // A store key is that of many people.
    const sentBy =
      endpoint.scope === 'store' ? senderOf(shopperTokensOf(request), endpoint.tokens ?? []) : holder.keyId;
    if (sentBy === null) return null;
    return ticketOf(request, surface, { sentBy, secret: port.masterKey.tokenKey }, renderForStorage);
  };

  const readCall = callReaderOf(surface, endpoint, ticketFor);
  const beginTrail = surface.audits && isAudited(endpoint) ? trailOf(route, routes) : null;
  const stream = endpoint.streams ? streamingHandlerOf(port, surface, route, readCall) : null;
  const exported = endpoint.inOrderOf === undefined ? null : exportHandlerOf(port, route, readCall, serializer);

  async function run(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<SentResponse> {
    let result: unknown;
    try {
      const call = readCall(request, reply, caller);
      if (beginTrail !== null) caller.audit = await beginTrail(call);
      result = await route.handle(call);
    } catch (error) {
      const ticket = caller.idempotency;
      // A refusal thrown before the write's own transaction is also stored for its key.
      if (!(error instanceof AppError) || ticket === null || ticket.stored || ticket.renderError(error) === null)
        throw error;
      await write(port.db, caller, () => Promise.reject(error));
      throw error;
    }
    if (caller.audit?.recorded === false) {
      port.log.error({ method: endpoint.method, path: endpoint.path }, 'a write went past the audit log');
    }
    if (caller.idempotency?.stored === false || caller.audit?.recorded === false) {
      await write(port.db, caller, () => Promise.resolve(result));
    }
    const presented = route.present(result);
    if (presented.headers !== undefined) reply.headers(presented.headers);
    const response = respond(request, reply, caller, presented);
    // The records of a stream stay in memory until the last has been taken.
    const held = response.body instanceof Readable ? presented.data : response.body;
    request.server.limits.holdResponse(reply, shareOf(request.holder ?? caller), lengthOf(held));
    return response;
  }

  function respond(request: FastifyRequest, reply: FastifyReply, caller: Caller, presented: ApiResponse): SentResponse {
    if (endpoint.cached) {
      const { data, ...beside } = presented;
      const text = serializer.text(data);
      if (isKept(request, reply, text + JSON.stringify(beside))) return { status: 304, body: null };
      return { status: endpoint.status, body: surface.success(endpoint, text, presented, caller.requestId) };
    }
    return endpoint.method === 'GET' ? read(request, caller, presented) : render(presented, caller.requestId);
  }

  function read(request: FastifyRequest, caller: Caller, presented: ApiResponse): SentResponse {
    const envelope = envelopeOf(surface, endpoint, presented, caller.requestId);
    const body = bodyOf(serializer.pieces(presented.data), envelope, logCut(port, request, caller));
    return { status: presented.status ?? endpoint.status, body };
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller: Caller = {
      companyId: request.holder?.companyId ?? 0,
      actor: request.holder?.actor ?? 'public',
      requestId: request.requestId,
      traceparent: request.span?.traceparent,
      now: port.clock.now(),
      bodyBytes: (request.body as Buffer | undefined)?.length ?? 0,
      idempotency: null,
    };
    if (stream !== null) return stream(request, reply, caller);
    if (exported !== null && asksForExport(endpoint, request)) return exported(request, reply, caller);
    if (endpoint.contentType === EVENT_STREAM) {
      const events = await route.handle(readCall(request, reply, caller));
      // A proxy that buffers responses would never forward this one.
      return reply.header('Content-Type', EVENT_STREAM).header('X-Accel-Buffering', 'no').send(events);
    }
    try {
      const response = await responseTo(request, reply, caller);
      const type = endpoint.contentType ?? JSON_TYPE;
      return reply.code(response.status).header('Content-Type', type).send(response.body);
    } catch (error) {
      if (!(error instanceof Replayed)) throw error;
      reply.header('Idempotent-Replayed', 'true');
      const body = endpoint.returnsSecret ? opened(port, error.response.body) : error.response.body;
      request.server.limits.holdResponse(reply, caller.companyId, body.length);
      return reply.code(error.response.status).header('Content-Type', JSON_TYPE).send(body);
    }
  };

  async function responseTo(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<SentResponse> {
    const { length } = (request.body as Buffer | undefined) ?? EMPTY_BODY;
    // A body that is passed on as bytes is not parsed.
    const isParsed = request.holder !== null && !takesBytes(endpoint, request.headers['content-type']);
    const waiting = isParsed ? request.server.limits.processBody(shareOf(request.holder ?? caller), length) : null;
    const end = waiting === null ? null : await waiting;
    try {
      if (request.holder !== null) caller.idempotency = ticketFor(request, request.holder, caller);
      return await run(request, reply, caller);
    } finally {
      end?.();
    }
  }
}

/** Encrypts a body that contains a secret for storage. */
export function sealed(port: HttpPort, body: string): string {
  return SEALED + port.masterKey.seal(body).toString('base64');
}

/** Decrypts the stored body; refusals contain no secret and were stored in plain text. */
export function opened(port: HttpPort, body: string): string {
  return body.startsWith(SEALED) ? port.masterKey.open(Buffer.from(body.slice(SEALED.length), 'base64')) : body;
}

/** Returns the ticket of a request with an Idempotency-Key. @throws AppError if the key is malformed */
export function ticketOf(
  request: FastifyRequest,
  surface: Surface,
  { sentBy, secret }: { sentBy: number; secret: Buffer },
  render: (result: unknown) => StoredResponse,
): IdempotencyTicket {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new AppError('bad_request', 'Idempotency-Key must be 1 to 255 printable characters');
  }
  const raw = (request.body as Buffer | undefined) ?? EMPTY_BODY;
  return {
    key,
    sentBy,
    // Keyed: a body may contain a password, and the hash must not allow guessing it.
    requestHash: createHmac('sha256', secret).update(`${request.method}\n${request.url}\n`).update(raw).digest(),
    render,
    renderError: (error) => {
      const response = surface.failure(error, request.requestId);
      const kept = response.status < 500 && ![401, 403, 429].includes(response.status);
      return kept && !error.code.startsWith('idempotency_key') ? response : null;
    },
    stored: false,
  };
}
