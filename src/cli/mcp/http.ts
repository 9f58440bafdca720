import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { ApiError, TradeloomError } from '../../../client/src/client.ts';
import { clientOf, FailedChecks } from './failed-checks.ts';
import type { Gateway } from './gateway.ts';

const MAX_BODY = 1024 * 1024;
const PATH = '/mcp';

export interface McpHttpOptions {
  gateway: Gateway;
  /** Of requests without X-Company-ID. */
  companyId: number;
  /** Host names under which the address is reached, in addition to those of this machine. */
  hosts: readonly string[];
  onError(error: Error): void;
}

/**
 * The streamable HTTP transport at /mcp. Each request carries the API key as `Authorization: Bearer` and may name the company by
 * X-Company-ID. Requests that a page of another site makes a browser send are refused because of their Host and Origin.
 */
export function createMcpHttp({ gateway, companyId, hosts, onError }: McpHttpOptions): Server {
  const failedChecks = new FailedChecks();
  const companyOf = (request: Request | undefined): number => Number(request?.headers.get('x-company-id') ?? companyId);
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => gateway.serverFor(authInfo!.token, companyOf(requestInfo)),
    { onerror: onError },
  );

  /** By its headers alone; null for a request that may be read. */
  async function refusalOf(request: Request, client: string): Promise<Response | null> {
    const refused =
      hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), ...hosts]) ??
      originValidationResponse(request, [...localhostAllowedOrigins(), ...hosts]);
    if (refused !== undefined) return refused;
    if (new URL(request.url).pathname !== PATH) return new Response('Not found\n', { status: 404 });
    const token = tokenOf(request);
    if (token === undefined) return unauthorized('Send the API key as Authorization: Bearer');
    if (gateway.isKnown(token, companyOf(request))) return checked(token, request);
    const wait = failedChecks.blockedFor(client);
    if (wait > 0) return tooMany('Too many requests with an unknown API key', wait);
    failedChecks.begin(client);
    const refusal = await checked(token, request);
    if (refusal?.status !== 401) failedChecks.succeed(client);
    return refusal;
  }

  async function checked(token: string, request: Request): Promise<Response | null> {
    try {
      await gateway.check(token, companyOf(request));
      return null;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof ApiError && error.status === 429) return tooMany(message, error.retryAfter ?? 60);
      const isAboutTheKey = !(error instanceof TradeloomError) || (error instanceof ApiError && error.status < 500);
      return isAboutTheKey ? unauthorized(message) : unavailable(message);
    }
  }

  function respond(request: Request): Promise<Response> {
    return handler.fetch(request, { authInfo: { token: tokenOf(request)!, clientId: 'api-key', scopes: [] } });
  }

  return createServer((incoming, outgoing) => {
    serve(incoming, outgoing, { refusalOf, respond }).catch((error: Error) => {
      onError(error);
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
}

function tokenOf(request: Request): string | undefined {
  return /^Bearer (\S{1,200})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

function unauthorized(message: string): Response {
  return Response.json({ error: 'unauthorized', message }, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
}

function tooMany(message: string, seconds: number): Response {
  return later(429, { error: 'rate_limited', message }, seconds);
}

/** The server was not reached or failed: nobody knows about the key. */
function unavailable(message: string): Response {
  return later(503, { error: 'unavailable', message }, 5);
}

function later(status: number, body: { error: string; message: string }, seconds: number): Response {
  return Response.json(body, { status, headers: { 'Retry-After': String(seconds) } });
}

interface Responder {
  refusalOf(request: Request, client: string): Promise<Response | null>;
  respond(request: Request): Promise<Response>;
}

/** Reads the body of a request that is not refused. */
async function serve(incoming: IncomingMessage, outgoing: ServerResponse, responder: Responder): Promise<void> {
  const ended = new AbortController();
  outgoing.on('close', () => ended.abort());
  const { method = 'GET', headers, url = '/' } = incoming;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const requestWith = (body?: Buffer<ArrayBuffer>): Request =>
    new Request(`http://${headers.host ?? 'localhost'}${url}`, {
      method,
      headers: Object.fromEntries(given) as Record<string, string>,
      ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
      signal: ended.signal,
    });
  const refused = await responder.refusalOf(requestWith(), clientOf(incoming));
  if (refused !== null) {
    await send(outgoing, refused, ended.signal);
    return;
  }
  const body = await bodyOf(incoming);
  if (body === null) {
    outgoing.writeHead(413, { Connection: 'close' }).end();
    return;
  }
  await send(outgoing, await responder.respond(requestWith(body)), ended.signal);
}

/** As fast as the client takes it. */
async function send(outgoing: ServerResponse, { status, headers, body }: Response, ended: AbortSignal): Promise<void> {
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.flushHeaders();
  for await (const chunk of body ?? []) {
    if (ended.aborted) return;
    // Fails only when the connection ends, and the next piece is not sent then.
    if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal: ended }).catch(() => {});
  }
  outgoing.end();
}

/** null where it is too long. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
