import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, type FormData, request } from 'undici';
import { FairQueue } from '../../../lib/fair-queue.ts';
import { type DeliveryResult, eachAlone, failed, type OutgoingMessage, sent, type Transport, unknown } from './port.ts';

/** A request that hands over one message. */
export interface ProviderRequest {
  url: string | URL;
  headers: Record<string, string>;
  body: string | Buffer | FormData;
}

/** A response with up to 64 KiB of its body. */
export interface ProviderResponse {
  status: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface HttpTransportOptions<M extends OutgoingMessage> {
  name: string;
  channel: M['channel'];
  /** See `Transport`. */
  provider: string;
  takes: Transport['takes'];
  rate: number | null;
  concurrency: number;
  /** Timeouts in milliseconds: to connect, and to wait for the response. */
  timeouts?: Partial<{ connect: number; response: number }> | undefined;
  /** How host names are resolved; by the system if absent. */
  lookup?: LookupFunction | undefined;
  /** Throws if the message cannot be converted to a request. */
  requestOf(message: M): Promise<ProviderRequest> | ProviderRequest;
  /** Interprets a response that concerns the message: its status is 400 or above. */
  refusalOf(response: ProviderResponse): DeliveryResult;
}

const MAX_RESPONSE = 64 * 1024;
/** Statuses that concern our account, URL or rate, and so not this message. */
const NOT_THE_MESSAGE = new Set([401, 402, 403, 404, 405, 407, 408, 425, 429]);
/** Statuses of a gateway that got no response from the server behind it. */
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

/** A provider that takes one POST request per message. Redirects are not followed. */
export function createHttpTransport<M extends OutgoingMessage>(options: HttpTransportOptions<M>): Transport {
  const { name, channel, provider, takes, rate, concurrency, timeouts, lookup, requestOf, refusalOf } = options;
  const agent = createAgent({
    concurrency,
    lookup,
    connectMs: timeouts?.connect ?? 3_000,
    responseMs: timeouts?.response ?? 15_000,
  });
  /** An account has one owner, its company. */
  const connections = new FairQueue({
    capacity: concurrency,
    share: concurrency,
    maxWaiting: Number.POSITIVE_INFINITY,
  });
  let closed = false;

  async function post({ url, headers, body }: ProviderRequest, signal: AbortSignal): Promise<DeliveryResult> {
    const response = await request(url, { dispatcher: agent, signal, method: 'POST', headers, body });
    const { statusCode: status } = response;
    const read = await readResponse(response.body);
    return byStatus(status, read) ?? refusalOf({ status, body: read, headers: response.headers });
  }

  async function deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryResult> {
    if (message.channel !== channel) throw new Error(`The transport ${name} takes ${channel} only`);
    // Not queued in the agent: a request waiting there would count as sent when aborted.
    return connections.run(0, async () => {
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
    name,
    channel,
    provider,
    takes,
    concurrency,
    rate,
    deliver,
    ...eachAlone(deliver),
    async close() {
      if (closed) return;
      closed = true;
      await connections.idle();
      await agent.close();
    },
  };
}

/** Interprets a status by itself; null if it concerns the message. */
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

/** Parses a JSON body; returns an empty object for anything else. */
export function jsonOf(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Reads the body of the response. A truncated body is not an error. */
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
