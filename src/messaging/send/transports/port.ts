import type { EmailContent } from '../../compose/mime/email-content.ts';
import type { EmailForm } from '../../sending-accounts/accounts.ts';

/**
 * The contract of a transport. Each hand-over has a point after which the server may have accepted the message although no
 * response arrived: the final dot of SMTP, the sent request of HTTP. A failure before it means that the message was not
 * delivered and may be retried. No response after it means `unknown`, and only a person may decide to send again.
 */
export interface Transport {
  readonly name: string;
  readonly channel: 'email' | 'sms';
  /** Who is at the other side, the same in all processes that share its rate; nothing secret. */
  readonly provider: string;
  /** How e-mails are to be made for it; of no meaning for SMS. */
  readonly takes: EmailForm;
  /** Deliveries that run at the same time; further ones wait their turn. */
  readonly concurrency: number;
  /** Messages per second that the other side wants at most; null: as fast as it goes. */
  readonly rate: number | null;
  /**
   * Hands over one message to one recipient. Rejects only when the message is of another channel. An aborted signal
   * ends it at once: as a failure before the moment above, as `unknown` after it.
   */
  deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryResult>;
  /**
   * Messages per delivery; 1 where each is delivered alone. A crash leaves at most so many per delivery unknown.
   */
  readonly batch: number;
  /** Hands over messages together. Returns a result for each, in their order; otherwise as `deliver`. */
  deliverAll(messages: OutgoingMessage[], signal: AbortSignal): Promise<DeliveryResult[]>;
  /** Takes no more messages, waits for those under way, and closes the connections. */
  close(): Promise<void>;
}

/** For transports that know single messages only. */
export function eachAlone(deliver: Transport['deliver']): Pick<Transport, 'batch' | 'deliverAll'> {
  return { batch: 1, deliverAll: (messages, signal) => Promise.all(messages.map((one) => deliver(one, signal))) };
}

export type OutgoingMessage = OutgoingEmail | OutgoingSms;

/** The row of the ledger that a message stands for. */
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
  /** The envelope: bare addresses, which need not be those in the headers. */
  from: string;
  to: string;
  /** null for a transport that was said to take bytes only. */
  content: EmailContent | null;
  /** Without a content: whether it leads to the public pages of this server. */
  linked?: boolean;
  /** Makes the bytes; for transports that need them. Throws when the message cannot be signed. */
  raw(): Promise<Buffer>;
}

export interface OutgoingSms {
  channel: 'sms';
  /** The same for every attempt at this message; goes to the provider as its idempotency key. */
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
      /**
       * Who is at fault: a refused `recipient` is a bounce; a `message` is refused for its sender or content; a `domain` takes
       * nothing from us for now, as with greylisting, which says nothing of the recipient either; the
       * `service` is down, unreachable, too busy or does not know us, which says nothing of the recipient.
       */
      /** The recipient told the provider to get no more: a no, and not a dead address. */
      optedOut?: true;
      fault: Fault;
      /** What the other side said, or what happened instead; at most 500 characters. */
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
