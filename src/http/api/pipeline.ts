import { createHmac } from 'node:crypto';
import fastJson from 'fast-json-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { Holder } from '../../access/authenticator.ts';
import type { Caller, IdempotencyTicket, StoredResponse } from '../../caller.ts';
import { Replayed, SEALED, write } from '../../db/idempotency.ts';
import { AppError, validationFailed } from '../../errors.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { isStorable } from '../../lib/storable.ts';
import { Streamed } from '../../lib/streamed.ts';
import { compileQueryReader, dropIgnored, ignoredFields, validatorOf } from '../../lib/validation.ts';
import { streamOf } from '../streaming/send.ts';
import { streamWriterOf } from '../streaming/streamed.ts';
import { parseBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import type { ApiResponse, Call, Endpoint, Route } from './endpoint.ts';
import type { LargeBodies } from './large-bodies.ts';
import type { HttpPort } from './port.ts';
import type { RateDecision } from './rate-limit.ts';
import { rateLimited } from './refusals.ts';
import type { Surface } from './surface.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What the bodies of all requests in progress may take together. */
    bodies: BodyBudget;
    /** In which they are worked on. */
    largeBodies: LargeBodies;
  }
  interface FastifyRequest {
    requestId: string;
    holder: Holder | null;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';
const EMPTY_BODY = Buffer.alloc(0);

/**
 * The first part of the pipeline, before the body is read: key, company, rate, address, scope, version. Calls back
 * without a promise when everything needed is in memory.
 */
export function admission(port: HttpPort, surface: Surface, bodies: BodyBudget) {
  function admit(request: FastifyRequest, reply: FastifyReply, holder: Holder): void | Promise<void> {
    const decision = port.rateLimiter.take(holder);
    if (decision instanceof Promise) return decision.then((made) => count(request, reply, holder, made));
    count(request, reply, holder, decision);
  }

  function count(request: FastifyRequest, reply: FastifyReply, holder: Holder, decision: RateDecision): void {
    reply.header('X-RateLimit-Limit', decision.limit);
    reply.header('X-RateLimit-Remaining', decision.remaining);
    reply.header('X-RateLimit-Reset', decision.reset);
    // The same in the fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), with seconds to wait.
    const seconds = Math.max(1, decision.reset - Math.floor(port.clock.now().getTime() / 1000));
    reply.header('RateLimit-Policy', `"hour";q=${decision.limit};w=3600`);
    reply.header('RateLimit', `"hour";r=${decision.remaining};t=${seconds}`);
    request.server.largeBodies.note(holder.companyId);
    surface.checkHolder(request, holder);
    if (!decision.allowed) throw rateLimited(seconds);
    request.holder = holder;
    const endpoint = request.routeOptions.config.endpoint;
    // Before the body is looked at: what is sent to no address is not read.
    if (endpoint === undefined) throw new AppError('not_found', 'Not found');
    surface.checkScope(holder, endpoint, port, request);
    surface.checkRequest(request);
    bodies.take(request, reply, holder.companyId, request.routeOptions.bodyLimit);
  }

  function begin(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    reply.headers(surface.headers);
    const endpoint = request.routeOptions.config.endpoint;
    surface.checkSender(request);
    if (endpoint !== undefined && isOpen(endpoint)) {
      // Whose it is shows later: all that nobody is known of share what one company may have.
      bodies.take(request, reply, 0, request.routeOptions.bodyLimit);
      return;
    }
    const holder = surface.findHolder(port, request);
    return holder instanceof Promise
      ? holder.then((found) => admit(request, reply, found))
      : admit(request, reply, holder);
  }

  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      const pending = begin(request, reply);
      if (pending === undefined) done();
      else pending.then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Whether the endpoint serves requests of whom nobody knows who sent them. */
function isOpen({ scope }: Endpoint): boolean {
  return scope === 'public' || scope === 'anyone';
}

/** The second part: parse, validate, handle, render. */
export function handlerOf(port: HttpPort, surface: Surface, route: Route) {
  const { endpoint } = route;
  const readParams = endpoint.params === undefined ? null : compileParams(endpoint.params);
  const readQuery = endpoint.query === undefined ? null : compileQueryReader(endpoint.query);
  const checkQuery = endpoint.query === undefined ? null : validatorOf(endpoint.query);
  const checkBody = endpoint.body === undefined ? null : validatorOf(endpoint.body);
  const serialize = serializerOf(endpoint);
  const mayReplay =
    (endpoint.method === 'POST' || endpoint.method === 'PATCH') &&
    endpoint.scope !== 'anyone' &&
    endpoint.scope !== 'session';

  function render(response: ApiResponse, requestId: string): StoredResponse {
    const body = surface.success(endpoint, serialize(response.data), response, requestId);
    return { status: response.status ?? endpoint.status, body };
  }

  function readCall(request: FastifyRequest, reply: FastifyReply, caller: Caller): Call<Endpoint> {
    const params = readParams?.(request.params as Record<string, string>) ?? {};
    const query = readQuery?.(request.query as Record<string, unknown>) ?? {};
    const queryErrors = checkQuery?.(query) ?? null;
    if (queryErrors !== null) {
      throw new AppError('bad_request', queryErrors[0]!.message, { fields: queryErrors });
    }
    for (const value of Object.values(query)) {
      if (typeof value === 'string' && !isStorable(value))
        throw new AppError('bad_request', 'The query holds characters that text cannot have');
    }
    const raw = (request.body as Buffer | undefined) ?? EMPTY_BODY;
    if (endpoint.scope === 'public') {
      const { headers, ip: address, url } = request;
      const callAs = (holder: Holder, actor: string): Caller =>
        Object.assign(caller, { companyId: holder.companyId, actor, idempotency: ticketFor(request, holder, caller) });
      const turn = async (companyId: number): Promise<() => void> =>
        (await request.server.largeBodies.take(companyId, raw.length)) ?? (() => {});
      const asked = { url, body: raw, headers, address, callAs, turn };
      return { caller, params, query, body: undefined, visitor: null, request: asked } as unknown as Call<Endpoint>;
    }
    const visitor = surface.visitorOf?.(request) ?? null;
    if (checkBody === null) return { caller, params, query, body: {}, visitor } as Call<Endpoint>;
    const body = raw.length === 0 && endpoint.bodyOptional ? {} : parseBody(raw);
    const bodyErrors = checkBody(body);
    const ignored = ignoredFields(endpoint.body!, body);
    if (ignored !== '') reply.header('X-Ignored-Fields', ignored);
    if (bodyErrors !== null) throw validationFailed(bodyErrors);
    if (ignored !== '') dropIgnored(endpoint.body!, body);
    return { caller, params, query, body, visitor } as Call<Endpoint>;
  }

  function ticketFor(request: FastifyRequest, holder: Holder, { requestId }: Caller): IdempotencyTicket | null {
    if (!mayReplay || request.headers['idempotency-key'] === undefined) return null;
    const answerWith = (result: unknown): StoredResponse => {
      const response = render(route.present(result), requestId);
      return endpoint.returnsSecret ? { ...response, body: sealed(port, response.body) } : response;
    };
    return ticketOf(request, surface, { sentBy: holder.keyId, secret: port.masterKey.tokenKey }, answerWith);
  }

  const writeStreamed = endpoint.streams ? streamWriterOf(endpoint.data) : null;
  if (endpoint.streams && endpoint.method !== 'GET') throw new Error(`${endpoint.path} streams and is no GET`);

  /** Nothing has been sent where this fails. */
  async function stream(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<FastifyReply> {
    const leave = port.streams.take(caller.companyId);
    try {
      const { data, ...response } = route.present(await route.handle(readCall(request, reply, caller)));
      if (!(data instanceof Streamed)) throw new Error(`${endpoint.path} must give a Streamed`);
      const [before, after] = surface.success(endpoint, HOLE, { data, ...response }, caller.requestId).split(HOLE);
      const onError = (error: unknown): void =>
        port.log.error(
          { err: error, request_id: caller.requestId, route: request.routeOptions.url },
          'a response was cut off',
        );
      const body = streamOf(around(before!, writeStreamed!(data), after!), { onError, onEnd: leave });
      return reply.code(endpoint.status).header('Content-Type', JSON_TYPE).send(body);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function run(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<StoredResponse> {
    let result: unknown;
    try {
      result = await route.handle(readCall(request, reply, caller));
    } catch (error) {
      const ticket = caller.idempotency;
      // A refusal thrown before the write's own transaction is stored for its key as well.
      if (!(error instanceof AppError) || ticket === null || ticket.stored || ticket.renderError(error) === null)
        throw error;
      await write(port.db, caller, () => Promise.reject(error));
      throw error;
    }
    if (caller.idempotency?.stored === false) await write(port.db, caller, () => Promise.resolve(result));
    const presented = route.present(result);
    if (presented.headers !== undefined) reply.headers(presented.headers);
    return render(presented, caller.requestId);
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller: Caller = {
      companyId: request.holder?.companyId ?? 0,
      actor: request.holder?.actor ?? 'public',
      requestId: request.requestId,
      now: port.clock.now(),
      idempotency: null,
    };
    if (endpoint.streams) return stream(request, reply, caller);
    const { length = 0 } = (request.body as Buffer | undefined) ?? EMPTY_BODY;
    const turn = request.holder === null ? null : request.server.largeBodies.take(caller.companyId, length);
    const leave = turn === null ? null : await turn;
    if (request.holder !== null) caller.idempotency = ticketFor(request, request.holder, caller);
    try {
      const response = await run(request, reply, caller);
      const type = endpoint.contentType ?? JSON_TYPE;
      return reply.code(response.status).header('Content-Type', type).send(response.body);
    } catch (error) {
      if (!(error instanceof Replayed)) throw error;
      reply.header('Idempotent-Replayed', 'true');
      const body = endpoint.returnsSecret ? opened(port, error.response.body) : error.response.body;
      return reply.code(error.response.status).header('Content-Type', JSON_TYPE).send(body);
    } finally {
      leave?.();
    }
  };
}

/** Stands for the data in an envelope; no JSON text holds it. */
const HOLE = '\u0000';

async function* around(before: string, pieces: AsyncIterable<string>, after: string): AsyncGenerator<string> {
  if (before !== '') yield before;
  yield* pieces;
  if (after !== '') yield after;
}

function sealed(port: HttpPort, body: string): string {
  return SEALED + port.masterKey.seal(body).toString('base64');
}

/** Refusals hold no secret and are kept as they are. */
function opened(port: HttpPort, body: string): string {
  return body.startsWith(SEALED) ? port.masterKey.open(Buffer.from(body.slice(SEALED.length), 'base64')) : body;
}

function ticketOf(
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
    // Keyed: a body may hold a password, and the hash must not be something to guess it against.
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

/** Path parameters: an integer one that is no id, or text that cannot exist, is an address of nothing. */
function compileParams(schema: TObject): (params: Record<string, string>) => Record<string, unknown> {
  const kinds = Object.entries(schema.properties).map(
    ([name, property]) => [name, (property as { type?: string }).type] as const,
  );
  return (params) => {
    const read: Record<string, unknown> = {};
    for (const [name, kind] of kinds) {
      const text = params[name] ?? '';
      if (kind !== 'integer') {
        if (!isStorable(text)) throw new AppError('not_found', 'Not found');
        read[name] = text;
        continue;
      }
      const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(id)) throw new AppError('not_found', 'Not found');
      read[name] = id;
    }
    return read;
  };
}

/** Records through the compiled response schema; texts from SQL as they are. */
function serializerOf(endpoint: Endpoint): (data: unknown) => string {
  const schema = endpoint.data as { type?: string; items?: object };
  const isList = schema.type === 'array';
  let compiled: ((data: unknown) => string) | null = null;
  return (data) => {
    if (data instanceof RawJson) return data.text;
    // As late as the validators.
    compiled ??= fastJson(isList ? schema.items! : schema);
    return isList ? `[${(data as unknown[]).map(compiled).join(',')}]` : compiled(data);
  };
}
