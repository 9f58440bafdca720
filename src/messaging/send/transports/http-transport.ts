import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, type FormData, request } from 'undici';
import { type DeliveryResult, eachAlone, failed, type OutgoingMessage, sent, type Transport, unknown } from './port.ts';
import { createTurns } from './turns.ts';

/** A request that hands over one message. */
export interface ProviderRequest {
  url: string | URL;
  headers: Record<string, string>;
  body: string | Buffer | FormData;
}

/** A response, its body up to 64 KiB. */
export interface ProviderResponse {
  status: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface HttpTransportOptions<M extends OutgoingMessage> {
  name: string;
  channel: M['channel'];
  /** As in `Transport`. */
  provider: string;
  takes: Transport['takes'];
  rate: number | null;
  concurrency: number;
  /** Milliseconds to connect, and to wait for the response. */
  timeouts?: Partial<{ connect: number; response: number }> | undefined;
  /** How host names are looked up; the system's way where absent. */
  lookup?: LookupFunction | undefined;
  /** Throws for a message that cannot be made a request of. */
  requestOf(message: M): Promise<ProviderRequest> | ProviderRequest;
  /** What a response means that speaks of the message: its status is of 400 and more. */
  refusalOf(response: ProviderResponse): DeliveryResult;
}

const MAX_RESPONSE = 64 * 1024;
/** Statuses that speak of our account, address or rate and so not of this message. */
const NOT_THE_MESSAGE = new Set([401, 402, 403, 404, 405, 407, 408, 425, 429]);
/** Statuses by which a gateway reports that it has no response of the server behind it. */
const GATEWAY_WITHOUT_RESPONSE = new Set([502, 504]);
/** A failure before the connection was established, so nothing was sent. */
class NotConnected extends Error {}

function createAgent(options: {
  concurrency: number;
  connectMs: number;
  responseMs: number;
  lookup: LookupFunction | undefined;
}): Agent {
  const { concurrency, connectMs, responseMs, lookup } = options;
  const connect = buildConnector({ timeout: connectMs, ...(lookup && { lookup }) });
  return new Agent({
    connections: concurrency,
    pipelining: 1,
    headersTimeout: responseMs,
    bodyTimeout: responseMs,
    connect: (target, callback) =>
      connect(target, (error, socket) => {
        if (error) callback(new NotConnected(error.message, { cause: error }), null);
        else callback(null, socket);
      }),
  });
}

/** A provider that takes one request by POST for each message. Redirects are not followed. */
export function createHttpTransport<M extends OutgoingMessage>(options: HttpTransportOptions<M>): Transport {
  const { name, channel, provider, takes, rate, concurrency, timeouts, lookup, requestOf, refusalOf } = options;
  const agent = createAgent({
    ...{ concurrency, lookup },
    connectMs: timeouts?.connect ?? 3_000,
    responseMs: timeouts?.response ?? 15_000,
  });
  const turns = createTurns(concurrency);
  let closed = false;

  async function post({ url, headers, body }: ProviderRequest, signal: AbortSignal): Promise<DeliveryResult> {
    const response = await request(url, { dispatcher: agent, signal, method: 'POST', headers, body });
    const { statusCode: status } = response;
    const read = await readResponse(response.body);
    return byStatus(status, read) ?? refusalOf({ status, body: read, headers: response.headers });
  }

  async function deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryResult> {
    if (message.channel !== channel) throw new Error(`The transport ${name} takes ${channel} only`);
    // Not left to the agent: what waits there would count as sent when it is aborted.
    return turns.take(async () => {
      if (closed || signal.aborted) return failed('service', closed ? 'shut down' : 'aborted', { permanent: false });
      let made: ProviderRequest;
      try {
        made = await requestOf(message as M);
      } catch (error) {
        return failed('message', error instanceof Error ? error.message : 'not built', { permanent: true });
      }
      try {
        return await post(made, signal);
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'no response';
        if (error instanceof NotConnected) return failed('service', reason, { permanent: false });
        return unknown(`no response to the request: ${reason}`);
      }
    });
  }

  return {
    ...{ name, channel, provider, takes, concurrency, rate, deliver },
    ...eachAlone(deliver),
    async close() {
      if (closed) return;
      closed = true;
      await turns.done();
      await agent.close();
    },
  };
}

/** What a status says by itself; null where it speaks of the message. */
function byStatus(status: number, body: string): DeliveryResult | null {
  const reply = replyOf({ status, body });
  if (status >= 200 && status < 300) return sent(reply);
  if (GATEWAY_WITHOUT_RESPONSE.has(status)) return unknown(reply);
  if (status >= 400 && status < 500 && !NOT_THE_MESSAGE.has(status)) return null;
  return failed('service', reply, { permanent: false });
}

export function replyOf({ status, body }: Pick<ProviderResponse, 'status' | 'body'>): string {
  return `${status} ${body}`.trim();
}

/** A body of JSON; an empty object for anything else. */
export function jsonOf(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The body of the response. A truncated body is not an error. */
async function readResponse(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length > MAX_RESPONSE) break;
    }
  } catch {}
  return text;
}
