import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../../clock.ts';
import type { Minor } from '../../../money.ts';
import type { ProviderAccount } from '../../providers/provider.ts';
import { type CallFault, createFaults, createIdempotencyTable, type Fault, type Faults } from '../faults.ts';
import { createWebhookSender, type WebhookSender } from '../webhook-sender.ts';
import { type ApiResponse, errorResponse, handle } from './api.ts';
import { checkoutPage, isCheckoutAction } from './checkout.ts';
import type { Json } from './hal.ts';
import { createBuyer, createDashboard, type MollieBuyer, type MollieDashboard } from './people.ts';
import {
  capturedOf,
  chargedBackOf,
  createMollieState,
  type Delays,
  type MolliePayment,
  type MollieStatus,
  refundedOf,
  sum,
} from './state.ts';

const KEY_LIFETIME_MS = 3_600_000;

/** What a payment came to, in minor units by ISO 4217. */
export interface MollieBooksLine {
  amount: Minor;
  currency: string;
  captured: Minor;
  /** Refunds that reached the buyer; `pending`: those that may. */
  refunded: Minor;
  pending: Minor;
  /** By chargebacks that were not reversed. */
  disputed: Minor;
  status: MollieStatus;
  metadata: unknown;
}

export interface MollieCall {
  method: string;
  /** With the query. */
  path: string;
  idempotencyKey: string | null;
  /** 0: no response. */
  status: number;
}

export interface MollieDouble {
  /** For the provider, ending in `/v2/`. */
  url: string;
  /** The key that it accepts. */
  apiKey: string;
  /** An account with the key that it accepts. */
  account(): ProviderAccount;
  /** Causes faults by name; see CALL_FAULTS and WEBHOOK_FAULTS. */
  failNext(fault: Fault, times?: number): void;
  faults: Faults;
  webhooks: WebhookSender;
  delays: Delays;
  /** Acts as the buyer, without the checkout page. */
  buyer: MollieBuyer;
  /** Acts as staff in Mollie's dashboard, and as banks. */
  dashboard: MollieDashboard;
  /** Requests to the API, the oldest first. */
  calls: readonly MollieCall[];
  /** Is told of a request before it is processed, or has its fault. */
  beforeCall: ((call: MollieCall) => void) | null;
  /** Lets happen what is due on the clock, with its webhooks, as each request and `books` do. */
  tick(): void;
  /** By payment, the oldest first, as they are now on the clock. */
  books(): Map<string, MollieBooksLine>;
  /** The newest payment with this in its metadata. Throws if there is none. */
  paymentOf(metadata: Readonly<Record<string, unknown>>): Readonly<MolliePayment>;
  close(): Promise<void>;
}

/**
 * Starts a stand-in for Mollie on this machine: its API as far as the provider uses it, its checkout page and its webhooks. With a seed, faults
 * happen by chance; without one, those that are asked for. `hangMs`: after which a call without a response loses its connection; `maxPage`:
 * items per page of lists.
 */
export async function startMollieDouble({
  clock,
  seed = null,
  chances = {},
  hangMs = 50,
  maxPage = 250,
}: {
  clock: Clock;
  seed?: number | null;
  chances?: Partial<Record<Fault, number>>;
  hangMs?: number;
  maxPage?: number;
}): Promise<MollieDouble> {
  const faults = createFaults({ seed, chances });
  const webhooks = createWebhookSender(faults);
  const table = createIdempotencyTable<ApiResponse>(clock, KEY_LIFETIME_MS);
  const apiKey = 'test_doubleDoubleDoubleDoubleDouble';
  const state = createMollieState(clock, announce);
  const people = { revoked: false, charges: [] as string[] };
  const calls: MollieCall[] = [];
  let root = '';

  function announce({ id, status, webhookUrl }: MolliePayment): void {
    if (webhookUrl === null) return;
    webhooks.send({
      url: webhookUrl,
      about: `${id} ${status}`,
      sign: (forged) => message(forged ? `${id}forged` : id),
    });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.destroy(error));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', root);
    const body = await readBody(request);
    if (url.pathname.startsWith('/v2/')) serveApi(request, response, url, body);
    else serveCheckout(request.method, response, url, body);
  }

  function serveApi(request: IncomingMessage, response: ServerResponse, url: URL, body: string): void {
    const key = request.headers['idempotency-key'];
    const call: MollieCall = {
      method: request.method ?? '',
      path: url.pathname + url.search,
      idempotencyKey: typeof key === 'string' ? key : null,
      status: 0,
    };
    calls.push(call);
    double.beforeCall?.(call);
    if (people.revoked || request.headers.authorization !== `Bearer ${apiKey}`) {
      reply(response, call, errorResponse(401, 'Missing authentication, or failed to authenticate'));
      return;
    }
    const fault = faults.ofCall();
    const result = resultOf(fault, call, url, body);
    if (result === null || fault === 'time_out_after') hang(response);
    else if (fault === 'cut_body') cut(response, result);
    else reply(response, call, result);
  }

  function hang(response: ServerResponse): void {
    const timer = setTimeout(() => response.destroy(), hangMs);
    response.once('close', () => clearTimeout(timer));
  }

  /** Null: the call never arrived. */
  function resultOf(fault: CallFault | null, call: MollieCall, url: URL, body: string): ApiResponse | null {
    switch (fault) {
      case 'time_out_before':
        return null;
      case 'conflict_409':
        return errorResponse(409, 'A request with the same idempotency key is being processed');
      case 'rate_limit_429':
        return errorResponse(429, 'Too many requests');
      case 'error_500': {
        const error = errorResponse(500, 'Internal server error');
        if (call.idempotencyKey !== null) table.remember(call.idempotencyKey, digest(call, body), error);
        return error;
      }
      default:
        return process(call, url, body);
    }
  }

  /** Processes a call, or replays its response. */
  function process(call: MollieCall, url: URL, body: string): ApiResponse {
    const { method, idempotencyKey: key } = call;
    const known = key === null ? null : table.look(key, digest(call, body));
    if (known?.kind === 'replayed') return known.response;
    if (known?.kind === 'changed') return errorResponse(422, 'The idempotency key was used for another request');
    state.tick();
    const json = body === '' ? {} : (JSON.parse(body) as Json);
    const context = { state, root, maxPage, nextCharge: () => people.charges.shift() ?? 'paid' };
    const result = handle(context, { method, url, body: json });
    if (key !== null) table.remember(key, digest(call, body), result);
    return result;
  }

  function serveCheckout(method: string | undefined, response: ServerResponse, url: URL, body: string): void {
    const payment = state.payments.get(/^\/checkout\/(\w+)$/.exec(url.pathname)?.[1] ?? '');
    if (payment === undefined) {
      response.writeHead(404).end();
      return;
    }
    state.tick();
    const back = { location: payment.redirectUrl ?? '/' };
    if (payment.status !== 'open') {
      response.writeHead(303, back).end();
      return;
    }
    if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(checkoutPage(payment));
      return;
    }
    const action = new URLSearchParams(body).get('action');
    if (method !== 'POST' || !isCheckoutAction(action)) {
      response.writeHead(400).end();
      return;
    }
    if (action !== 'leave') buyer[action](payment.id);
    response.writeHead(303, back).end();
  }

  const buyer = createBuyer(state);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const double: MollieDouble = {
    url: `${root}/v2/`,
    apiKey,
    account: () => ({ id: 1, mode: 'test', publishableKey: null, secretKey: apiKey, webhookSecrets: [] }),
    failNext: faults.failNext,
    faults,
    webhooks,
    delays: state.delays,
    buyer,
    dashboard: createDashboard(state, clock, people),
    calls,
    beforeCall: null,
    tick: state.tick,
    books: () => {
      state.tick();
      return new Map([...state.payments].map(([id, payment]) => [id, lineOf(payment)]));
    },
    paymentOf: (metadata) => {
      const wanted = Object.entries(metadata);
      const payment = state.newestFirst().find((each) => {
        const known = new Map(Object.entries(each.metadata ?? {}));
        return wanted.every(([key, value]) => known.get(key) === value);
      });
      if (payment === undefined) throw new Error(`There is no payment with ${JSON.stringify(metadata)}`);
      return payment;
    },
    close: async () => {
      await webhooks.idle();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return double;
}

const message = (id: string): { headers: Record<string, string>; body: string } => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ id }).toString(),
});

/** All that must be the same under one idempotency key. */
const digest = ({ method, path }: MollieCall, body: string): string => `${method} ${path} ${body}`;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, call: MollieCall, { status, body }: ApiResponse): void {
  call.status = status;
  // The SDK tries a 5xx again: at once, rather than after its usual 2 seconds.
  if (status >= 500) response.setHeader('retry-after', '0');
  response.writeHead(status, { 'content-type': 'application/hal+json' });
  response.end(body === null ? undefined : JSON.stringify(body));
}

function cut(response: ServerResponse, { status, body }: ApiResponse): void {
  const text = JSON.stringify(body ?? {});
  // In chunks: of a body with a length, node-fetch does not notice that it ends early, and waits until it is aborted.
  response.writeHead(status, { 'content-type': 'application/hal+json' });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function lineOf(payment: MolliePayment): MollieBooksLine {
  const { status, currency, amount, metadata } = payment;
  const refunded = sum(payment.refunds.filter((refund) => refund.status === 'refunded'));
  return {
    amount,
    currency,
    captured: capturedOf(payment),
    refunded,
    pending: refundedOf(payment) - refunded,
    disputed: chargedBackOf(payment),
    status,
    metadata,
  };
}
