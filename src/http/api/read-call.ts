import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { Holder } from '../../access/authenticator.ts';
import { grants } from '../../access/scopes.ts';
import type { StoreHolder } from '../../access/store-holder.ts';
import type { Caller, IdempotencyTicket } from '../../caller.ts';
import { AppError } from '../../errors.ts';
import { isStorable } from '../../lib/storable.ts';
import { ignoredParameters } from '../../lib/validation/ignored-fields.ts';
import { compileQueryReader } from '../../lib/validation/query-reader.ts';
import { readIfMatch } from '../../lib/validation/revision.ts';
import { validatorOf } from '../../lib/validation/validation.ts';
import { bodyReaderOf, EMPTY_BODY } from './body.ts';
import { type Call, type Endpoint, hasPages, queryOf, takesBytes } from './endpoint.ts';
import { NO_TOKENS, shopperTokensOf } from './shopper-tokens.ts';
import type { Surface } from './surfaces/surface.ts';

const EMPTY_OBJECT = Buffer.from('{}');

/** Returns the ticket for a request's Idempotency-Key, or null. */
export type TicketFor = (request: FastifyRequest, holder: Holder, caller: Caller) => IdempotencyTicket | null;

/** Reads and validates a request: parameters, query and body of the endpoint. @throws AppError naming every bad field */
export type CallReader = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Call<Endpoint>;

export function callReaderOf(surface: Surface, endpoint: Endpoint, ticketFor: TicketFor): CallReader {
  const readParams = endpoint.params === undefined ? null : compileParams(endpoint.params);
  const readQuery = queryReaderOf(endpoint);
  const querySchema = queryOf(endpoint);
  const bodyReader = endpoint.body === undefined ? null : bodyReaderOf(endpoint.body);

  /** Public endpoints check the body and the sender themselves. */
  function publicRequest(request: FastifyRequest, caller: Caller): object {
    const body = (request.body as Buffer | undefined) ?? EMPTY_BODY;
    const { headers, ip: address, url } = request;
    const callAs = (holder: Holder, actor: string): Caller => {
      request.counted = holder;
      return Object.assign(caller, {
        companyId: holder.companyId,
        actor,
        idempotency: ticketFor(request, holder, caller),
      });
    };
    const beginProcessing = async (companyId: number): Promise<(() => void) | null> =>
      request.server.limits.processBody(companyId, body.length);
    return { url, body, headers, address, callAs, beginProcessing };
  }

  /** Refuses an unknown parameter of a list, because a misspelt filter would return every record; elsewhere a header names it. */
  function checkParameters(query: Record<string, unknown>, reply: FastifyReply): void {
    const ignored = ignoredParameters(querySchema, query);
    if (ignored === '') return;
    if (!hasPages(endpoint)) {
      reply.header('X-Ignored-Parameters', ignored);
      return;
    }
    const known = Object.entries(querySchema!.properties).map(nameOfParameter).join(', ');
    const fields = ignored.split(', ').map((field) => {
      const message = `${field} is no parameter of this list, which has ${known}`;
      return { field, code: 'unknown_parameter', message };
    });
    throw new AppError('bad_request', fields[0]!.message, { fields });
  }

  /** Whether the body is passed on as bytes. */
  function isBytes({ body, headers }: FastifyRequest): boolean {
    if (!takesBytes(endpoint, headers['content-type'])) return false;
    return endpoint.body === undefined || ((body as Buffer | undefined) ?? EMPTY_BODY).length > 0;
  }

  function readBody(request: FastifyRequest, reply: FastifyReply): Record<string, unknown> {
    if (bodyReader === null || isBytes(request)) return {};
    const raw = (request.body as Buffer | undefined) ?? EMPTY_BODY;
    const { body, ignored, refusal } = bodyReader(raw.length === 0 && endpoint.bodyOptional ? EMPTY_OBJECT : raw);
    if (ignored !== '') reply.header('X-Ignored-Fields', ignored);
    if (refusal !== null) throw refusal;
    return body;
  }

  return (request, reply, caller) => {
    const params = readParams?.(request.params as Record<string, string>) ?? {};
    const query = readQuery(request.query as Record<string, unknown>);
    if (endpoint.scope === 'public') {
      const asked = publicRequest(request, caller);
      return {
        caller,
        params,
        query,
        body: undefined,
        ifMatch: null,
        tokens: NO_TOKENS,
        from: fromOf(request),
        locationId: null,
        bytes: EMPTY_BODY,
        visitor: null,
        may: () => false,
        request: asked,
      } as unknown as Call<Endpoint>;
    }
    checkParameters(request.query as Record<string, unknown>, reply);
    const visitor = surface.visitorOf?.(request, reply) ?? null;
    const bytes = isBytes(request) ? ((request.body as Buffer | undefined) ?? EMPTY_BODY) : EMPTY_BODY;
    const ifMatch = endpoint.conditional ? readIfMatch(request.headers['if-match']) : null;
    const held = request.holder?.scopes;
    const may = (scope: string): boolean => held !== undefined && grants(held, scope);
    const tokens = endpoint.tokens === undefined ? NO_TOKENS : shopperTokensOf(request);
    const { locationId = null } = (request.holder ?? {}) as Partial<StoreHolder>;
    const body = readBody(request, reply);
    const from = fromOf(request);
    return { caller, params, query, body, ifMatch, tokens, from, locationId, bytes, visitor, may } as Call<Endpoint>;
  };
}

function fromOf({ ip: address, headers }: FastifyRequest): Call<Endpoint>['from'] {
  return { address, origin: headers.origin ?? null };
}

function nameOfParameter([name, property]: [string, { 'x-dotted'?: string }]): string {
  return property['x-dotted'] === undefined ? name : `${name}.{${property['x-dotted']}}`;
}

/** The texts of a parameter; of a dotted one, with its keys. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat(2).map(String) : [];
}

/** Reads and checks the texts of a query. Throws bad_request. */
export function queryReaderOf(endpoint: Endpoint): (query: Record<string, unknown>) => Record<string, unknown> {
  const schema = queryOf(endpoint);
  if (schema === undefined) return () => ({});
  const read = compileQueryReader(schema);
  const check = validatorOf(schema);
  return (texts) => {
    const query = read(texts);
    const errors = check(query);
    if (errors !== null) throw new AppError('bad_request', errors[0]!.message, { fields: errors });
    for (const value of Object.values(query).flatMap(textsOf)) {
      if (!isStorable(value))
        throw new AppError('bad_request', 'The query contains invalid characters (NUL or lone surrogates)');
    }
    return query;
  };
}

/** Reads path parameters. @throws AppError not_found for an integer that is not an id, and for text that cannot be stored */
export function compileParams(schema: TObject): (params: Record<string, string>) => Record<string, unknown> {
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
