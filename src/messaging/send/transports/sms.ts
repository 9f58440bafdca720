import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { meaningOf } from '../../sms/twilio.ts';
import {
  type DeliveryResult,
  eachAlone,
  failed,
  type LedgerKey,
  type OutgoingMessage,
  type OutgoingSms,
  sent,
  type Transport,
  unknown,
} from './port.ts';
import { parseSmsUrl } from './sms-url.ts';
import { createTurns } from './turns.ts';

export interface SmsOptions {
  /**
   * `https://account:token@host/path`: the address that takes the messages, as Twilio's `…/Messages.json`. `?rate=10` is how many
   * messages per second all processes together hand over at most, `&connections=20` how many are on their way at once
   * (1 to 100, 5 by default). Further parameters are the provider's.
   */
  url: string;
  /** Where the provider is to say what became of the message; null: nowhere. */
  receiptUrl?: (message: LedgerKey) => string | null;
  /** Milliseconds to connect, and to wait for the response. */
  timeouts?: Partial<{ connect: number; response: number }>;
}

const MAX_RESPONSE = 64 * 1024;
/** Statuses that speak of our account, address or rate and so not of this message. */
const NOT_THE_MESSAGE = new Set([401, 403, 404, 405, 407, 408, 425, 429]);
/** Statuses by which a gateway reports that it has no response of the server behind it. */
const GATEWAY_WITHOUT_RESPONSE = new Set([502, 504]);
/** A failure before the connection was established, so nothing was sent. */
class NotConnected extends Error {}

function createAgent(concurrency: number, connectMs: number, responseMs: number): Agent {
  const connect = buildConnector({ timeout: connectMs });
  return new Agent({
    connections: concurrency,
    pipelining: 1,
    headersTimeout: responseMs,
    bodyTimeout: responseMs,
    connect: (options, callback) =>
      connect(options, (error, socket) => {
        if (error) callback(new NotConnected(error.message, { cause: error }), null);
        else callback(null, socket);
      }),
  });
}

/** A provider that takes one form by POST for each message. Redirects are not followed. */
export function createSmsTransport(options: SmsOptions): Transport {
  const { timeouts } = options;
  const { endpoint, authorization, name, rate, concurrency } = parseSmsUrl(options.url);
  const agent = createAgent(concurrency, timeouts?.connect ?? 3_000, timeouts?.response ?? 15_000);
  const turns = createTurns(concurrency);
  let closed = false;

  async function post(message: OutgoingSms, signal: AbortSignal): Promise<DeliveryResult> {
    const response = await request(endpoint, {
      dispatcher: agent,
      signal,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'idempotency-key': message.id,
        ...(authorization ? { authorization } : {}),
      },
      body: formOf(message, options.receiptUrl?.(message.ledger) ?? null).toString(),
    });
    return resultOf(response.statusCode, await readResponse(response.body));
  }

  async function deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryResult> {
    if (message.channel !== 'sms') throw new Error('The SMS transport takes SMS only');
    // Not left to the agent: what waits there would count as sent when it is aborted.
    return turns.take(async () => {
      if (closed || signal.aborted) return failed('service', closed ? 'shut down' : 'aborted', { permanent: false });
      try {
        return await post(message, signal);
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'no response';
        if (error instanceof NotConnected) return failed('service', reason, { permanent: false });
        return unknown(`no response to the request: ${reason}`);
      }
    });
  }

  return {
    name: 'sms',
    channel: 'sms',
    provider: name,
    concurrency,
    rate,
    deliver,
    ...eachAlone(deliver),
    async close() {
      if (closed) return;
      closed = true;
      await turns.done();
      await agent.close();
    },
  };
}

/** The body of the response. The status alone decides, so a truncated body is not an error. */
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

function resultOf(status: number, body: string): DeliveryResult {
  const reply = `${status} ${body}`.trim();
  if (status >= 200 && status < 300) return sent(reply);
  if (GATEWAY_WITHOUT_RESPONSE.has(status)) return unknown(reply);
  if (status < 400 || status >= 500 || NOT_THE_MESSAGE.has(status))
    return failed('service', reply, { permanent: false });
  const meaning = meaningOf(errorCode(body));
  if (meaning === 'other') return failed('message', reply, { permanent: true });
  const refused = failed('recipient', reply, { permanent: true });
  return meaning === 'opted_out' ? { ...refused, optedOut: true } : refused;
}

function formOf({ to, from, text }: OutgoingSms, receiptUrl: string | null): URLSearchParams {
  const form = new URLSearchParams({ To: to, From: from, Body: text });
  if (receiptUrl !== null) form.set('StatusCallback', receiptUrl);
  return form;
}

function errorCode(body: string): number {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && 'code' in parsed ? Number(parsed.code) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
