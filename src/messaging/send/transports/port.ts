import type { EmailContent } from '../../compose/mime/email-content.ts';
import type { EmailForm } from '../../sending-accounts/accounts.ts';

/**
 * The contract of a transport. Each hand-over has a point after which the server may have accepted the message even though no response
 * arrived: the final dot of SMTP, the sent request of HTTP. A failure before it means that the message was not delivered and may be
 * retried. No response after it means `unknown`, and only a person may decide to send again.
 */
export interface Transport {
  readonly name: string;
  readonly channel: 'email' | 'sms';
  /** Identifies the service and account, and is the same in all processes that share its rate; not secret. */
  readonly provider: string;
  /** The form of e-mails that it takes; ignored for SMS. */
  readonly takes: EmailForm;
  /** Concurrent deliveries; further ones wait for their turn. */
  readonly concurrency: number;
  /** Maximum messages per second; null: unlimited. */
  readonly rate: number | null;
  /**
   * Hands over one message to one recipient. Rejects only when the message is of another channel. An aborted signal
   * ends it at once: as a failure before the moment above, as `unknown` after it.
   */
  deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryResult>;
  /** Messages per delivery; 1 if each is delivered alone. A crash leaves at most this many per delivery unknown. */
  readonly batch: number;
  /** Hands over messages together. Returns a result for each, in their order; otherwise as `deliver`. */
  deliverAll(messages: OutgoingMessage[], signal: AbortSignal): Promise<DeliveryResult[]>;
  /** Accepts no more messages, waits for deliveries in progress, and closes the connections. */
  close(): Promise<void>;
}

/** For transports that deliver one message at a time. */
export function eachAlone(deliver: Transport['deliver']): Pick<Transport, 'batch' | 'deliverAll'> {
  return { batch: 1, deliverAll: (messages, signal) => Promise.all(messages.map((one) => deliver(one, signal))) };
}

export type OutgoingMessage = OutgoingEmail | OutgoingSms;

/** The row of the ledger for a message. */
export interface LedgerKey {
  companyId: number;
  messageId: number;
  contactId: number | null;
}

export interface OutgoingEmail {
  channel: 'email';
  /** The same for every attempt at this message. */
  id: string;
  ledger: LedgerKey;
  /** Envelope addresses: bare, and not necessarily those in the headers. */
  from: string;
  to: string;
  /** null if the transport takes only bytes. */
  content: EmailContent | null;
  /** If there is no content: whether it links to the public pages of this server. */
  linked?: boolean;
  /** Builds the bytes, for transports that need them. Throws if the message cannot be signed. */
  raw(): Promise<Buffer>;
}

export interface OutgoingSms {
  channel: 'sms';
  /** The same for every attempt at this message; sent to the provider as its idempotency key. */
  id: string;
  ledger: LedgerKey;
  /** A number in E.164 or a sender name that the provider knows. */
  from: string;
  to: string;
  text: string;
}

export type Fault = 'recipient' | 'message' | 'domain' | 'service';

export type DeliveryResult =
  | { kind: 'sent'; reply: string }
  | {
      kind: 'failed';
      /** Whether the same message will be refused again. */
      permanent: boolean;
      /** The recipient opted out at the provider: an opt-out, not a dead address. */
      optedOut?: true;
      /**
       * What is at fault. A refused `recipient` is a bounce. A `message` is refused for its sender or content. A `domain` accepts nothing
       * from us for now, as with greylisting. The `service` is down, unreachable, too busy or does not know us. The last two say nothing
       * about the recipient.
       */
      fault: Fault;
      /** The reply, or what happened instead; at most 500 characters. */
      reply: string;
    }
  | { kind: 'unknown'; reason: string };

export function sent(reply: string): DeliveryResult {
  return { kind: 'sent', reply: reply.slice(0, 500) };
}

export function failed(
  fault: Fault,
  reply: string,
  { permanent }: { permanent: boolean },
): DeliveryResult & { kind: 'failed' } {
  return { kind: 'failed', permanent, fault, reply: reply.slice(0, 500) };
}

export function unknown(reason: string): DeliveryResult {
  return { kind: 'unknown', reason: reason.slice(0, 500) };
}
