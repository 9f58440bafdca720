import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Faults, IdempotencyTable } from '../faults.ts';
import { type ApiContext, type ApiRequest, processPrivate, processPublic } from './api.ts';
import { StripeApiError } from './errors.ts';
import { Form } from './form.ts';
import { STRIPE_JS } from './stripe-js.ts';

export interface Reply {
  status: number;
  body: string;
}

export interface ServerContext extends ApiContext {
  faults: Faults;
  remembered: IdempotencyTable<Reply>;
  keys: { secret: () => string | null; publishable: string };
  /** How long a call without a response is kept open. */
  hangMs: number;
  /** Called for each call with the secret key, before its fault. */
  onCall: (call: { method: string; path: string; key: string | null }) => void;
  nextRequestId: () => string;
}

const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/** Starts the HTTP server on a free port of this machine. */
export async function startServer(context: ServerContext): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    handle(context, request, response).catch((error: unknown) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      send(response, { status: 599, body: JSON.stringify({ error: { type: 'api_error', message } }) });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(context: ServerContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://localhost');
  const method = request.method!;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  if (method === 'OPTIONS') {
    send(response, { status: 204, body: '' }, CORS);
    return;
  }
  if (url.pathname === '/v3/' || url.pathname === '/v3') {
    send(response, { status: 200, body: STRIPE_JS }, { 'content-type': 'text/javascript' });
    return;
  }
  const form = new Form(method === 'GET' ? url.search : body);
  const api: ApiRequest = { method, path: url.pathname, form };
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? form.get('key');
  if (key === context.keys.publishable) {
    send(response, reply(() => processPublic(context, api)).reply, CORS);
    return;
  }
  const idempotencyKey = header(request, 'idempotency-key');
  context.onCall({ method, path: url.pathname, key: idempotencyKey });
  if (key === null || key !== context.keys.secret()) {
    send(response, reply(() => refuseKey(key)).reply, CORS);
    return;
  }
  respond(context, response, { api, body, key: method === 'POST' ? idempotencyKey : null });
}

/** Only calls with the secret key have faults. */
function respond(
  context: ServerContext,
  response: ServerResponse,
  { api, body, key }: { api: ApiRequest; body: string; key: string | null },
): void {
  const { faults, remembered, hangMs } = context;
  const call = `${api.method} ${api.path} ${body}`;
  const fault = faults.ofCall();
  if (fault === 'time_out_before') {
    hang(response, hangMs);
    return;
  }
  if (fault === 'conflict_409' || fault === 'rate_limit_429') {
    send(response, fault === 'conflict_409' ? IN_USE : TOO_MANY);
    return;
  }
  const known = key === null ? { kind: 'new' as const } : remembered.look(key, call);
  if (known.kind === 'changed') {
    send(response, reply(() => refuseChanged(key!)).reply);
    return;
  }
  if (known.kind === 'new' && fault === 'error_500') {
    if (key !== null) remembered.remember(key, call, BROKEN);
    send(response, BROKEN);
    return;
  }
  const made =
    known.kind === 'replayed'
      ? { reply: known.response, isRemembered: false }
      : reply(() => processPrivate(context, api));
  if (key !== null && made.isRemembered) remembered.remember(key, call, made.reply);
  if (fault === 'time_out_after') {
    hang(response, hangMs);
    return;
  }
  const headers: Record<string, string> = { 'request-id': context.nextRequestId() };
  if (known.kind === 'replayed') headers['idempotent-replayed'] = 'true';
  if (fault === 'cut_body') cut(response, made.reply, headers);
  else send(response, made.reply, headers);
}

function errorReply(status: number, type: string, message: string, code?: string): Reply {
  return { status, body: JSON.stringify({ error: { type, message, code } }) };
}

const BROKEN = errorReply(500, 'api_error', 'Sorry! There was an error while talking to one of our backends.');
const IN_USE = errorReply(409, 'idempotency_error', 'Another request uses this key now.', 'idempotency_key_in_use');
const TOO_MANY = errorReply(429, 'invalid_request_error', 'Request rate limit exceeded.', 'rate_limit');

function refuseKey(key: string | null): never {
  throw new StripeApiError(401, 'invalid_request_error', `Invalid API Key provided: ${key?.slice(0, 8) ?? ''}****`);
}

function refuseChanged(key: string): never {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with: ${key}`;
  throw new StripeApiError(400, 'idempotency_error', message);
}

function reply(run: () => object): { reply: Reply; isRemembered: boolean } {
  try {
    return { reply: { status: 200, body: JSON.stringify(run()) }, isRemembered: true };
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return { reply: { status: error.status, body: JSON.stringify(error.body) }, isRemembered: error.isRemembered };
  }
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

function send(response: ServerResponse, { status, body }: Reply, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

/** Sends no response, and closes the connection unless the caller has done so before. */
function hang(response: ServerResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms);
  response.on('close', () => clearTimeout(timer));
}

/** Sends half of the body. */
function cut(response: ServerResponse, { status, body }: Reply, headers: Record<string, string>): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers });
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
}
