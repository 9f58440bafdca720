import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
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
  const companyOf = (request: Request | undefined): number => Number(request?.headers.get('x-company-id') ?? companyId);
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => gateway.serverFor(authInfo!.token, companyOf(requestInfo)),
    { onerror: onError },
  );

  async function respond(request: Request): Promise<Response> {
    const refused =
      hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), ...hosts]) ??
      originValidationResponse(request, [...localhostAllowedOrigins(), ...hosts]);
    if (refused !== undefined) return refused;
    if (new URL(request.url).pathname !== PATH) return new Response('Not found\n', { status: 404 });
    const token = /^Bearer (\S{1,200})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return unauthorized('Send the API key as Authorization: Bearer');
    try {
      await gateway.check(token, companyOf(request));
    } catch (error) {
      return unauthorized((error as Error).message);
    }
    return handler.fetch(request, { authInfo: { token, clientId: 'api-key', scopes: [] } });
  }

  return createServer((incoming, outgoing) => {
    serve(incoming, outgoing, respond).catch((error: Error) => {
      onError(error);
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
}

function unauthorized(message: string): Response {
  return Response.json({ error: 'unauthorized', message }, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  respond: (request: Request) => Promise<Response>,
): Promise<void> {
  const ended = new AbortController();
  outgoing.on('close', () => ended.abort());
  const body = await bodyOf(incoming);
  if (body === null) {
    outgoing.writeHead(413, { Connection: 'close' }).end();
    return;
  }
  const { method = 'GET', headers, url = '/' } = incoming;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const response = await respond(
    new Request(`http://${headers.host ?? 'localhost'}${url}`, {
      method,
      headers: Object.fromEntries(given) as Record<string, string>,
      ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
      signal: ended.signal,
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
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
