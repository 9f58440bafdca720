import type { LookupFunction } from 'node:net';
import { meaningOf } from '../../sms/twilio.ts';
import { createHttpTransport, jsonOf, type ProviderResponse, replyOf } from './http-transport.ts';
import { type DeliveryResult, failed, type LedgerKey, type OutgoingSms, type Transport } from './port.ts';
import { parseSmsUrl } from './sms-url.ts';

export interface SmsOptions {
  /**
   * `https://account:token@host/path`: the URL that takes the messages, such as Twilio's `…/Messages.json`. `?rate=10` limits the messages
   * per second across all processes; `&connections=20` limits concurrent requests (1 to 100, 5 by default). Further parameters are passed
   * to the provider.
   */
  url: string;
  /** URL to which the provider reports the message's status; null: none. */
  receiptUrl?: (message: LedgerKey) => string | null;
  /** Timeouts in milliseconds: to connect, and to wait for the response. */
  timeouts?: Partial<{ connect: number; response: number }>;
  /** How host names are resolved; by the system if absent. */
  lookup?: LookupFunction;
}

/** A provider that takes one form POST per message. Redirects are not followed. */
export function createSmsTransport({ url, receiptUrl, timeouts, lookup }: SmsOptions): Transport {
  const { endpoint, authorization, name, rate, concurrency } = parseSmsUrl(url);
  return createHttpTransport<OutgoingSms>({
    name: 'sms',
    channel: 'sms',
    provider: name,
    takes: 'content',
    rate,
    concurrency,
    timeouts,
    lookup,
    requestOf: (message) => ({
      url: endpoint,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'idempotency-key': message.id,
        ...(authorization ? { authorization } : {}),
      },
      body: formOf(message, receiptUrl?.(message.ledger) ?? null).toString(),
    }),
    refusalOf,
  });
}

function refusalOf({ status, body }: ProviderResponse): DeliveryResult {
  const reply = replyOf({ status, body });
  const meaning = meaningOf(Number(jsonOf(body).code ?? Number.NaN));
  if (meaning === 'other') return failed('message', reply, { permanent: true });
  const refused = failed('recipient', reply, { permanent: true });
  return meaning === 'opted_out' ? { ...refused, optedOut: true } : refused;
}

function formOf({ to, from, text }: OutgoingSms, receiptUrl: string | null): URLSearchParams {
  const form = new URLSearchParams({ To: to, From: from, Body: text });
  if (receiptUrl !== null) form.set('StatusCallback', receiptUrl);
  return form;
}
