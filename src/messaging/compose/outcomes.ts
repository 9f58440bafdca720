import type { ClaimedMessage } from '../ledger/message.ts';
import type { OutgoingEmail, OutgoingMessage } from '../send/transports/port.ts';
import { smsText } from '../send/transports/sms-segments.ts';
import { type SendingCompany, smsSender } from '../settings/settings.ts';
import type { Draft } from './drafts.ts';
import type { RenderFailure } from './liquid/failures.ts';
import type { EmailContent } from './mime/email-content.ts';
import type { SingleResult } from './single-messages.ts';
import type { Killed } from './slices.ts';

/**
 * `failed`: the message cannot be composed; `skipped`: there is nobody to send it to; `later`: it was not composed but may be at another
 * time; `attempt` is true if composing it was tried.
 */
export type Composed =
  | { kind: 'ready'; outgoing: OutgoingMessage }
  | { kind: 'failed' | 'skipped'; reason: string }
  | { kind: 'later'; reason: string; dueAt: Date | null; attempt: boolean };

export interface ComposedMessage {
  message: ClaimedMessage;
  composed: Composed;
}

/** Maximum number of attempts for a message whose rendering times out. */
const MOST_TRIES = 3;
const TRY_AGAIN_MS = 60_000;

export function bytesOf(result: SingleResult | Killed): number {
  if ('killed' in result || result.kind === 'failed' || result.kind === 'text') return 0;
  return result.kind === 'raw' ? result.raw.length : 2 * result.html.length;
}

export function giveBack({ message }: Draft): ComposedMessage {
  return { message, composed: { kind: 'later', reason: 'retry_compose', dueAt: null, attempt: false } };
}

/** `ms`: time until the template is tried again; null if messages no longer wait for it. */
export function backedOffUntil(now: Date, ms: number | null): Composed {
  if (ms === null) return { kind: 'failed', reason: 'Rendering the template timed out repeatedly' };
  return { kind: 'later', reason: 'retry_compose', dueAt: new Date(now.getTime() + ms), attempt: false };
}

export function failedBy(draft: Draft, { error, line, exceeded }: RenderFailure, now: Date): Composed {
  if (exceeded === 'time' || exceeded === 'interrupted') return passingFailure(draft, error, now);
  return { kind: 'failed', reason: sentenceOf(error, line) };
}

/** Retries, because the machine may have been overloaded. */
export function passingFailure({ message }: Draft, error: string, now: Date): Composed {
  if (message.attempts + 1 >= MOST_TRIES) return { kind: 'failed', reason: error };
  return { kind: 'later', reason: 'retry_compose', dueAt: new Date(now.getTime() + TRY_AGAIN_MS), attempt: true };
}

export function sentenceOf(error: string, line: number | null): string {
  return line === null ? error : `${error} (line ${line})`;
}

export function readyOf({ message }: Draft, outgoing: OutgoingMessage): ComposedMessage {
  return { message, composed: { kind: 'ready', outgoing } };
}

export function emailOf(
  { message, to }: Draft,
  from: string,
  content: EmailContent | null,
  raw: Buffer | null,
  linked = true,
): OutgoingEmail {
  const { companyId, id } = message;
  const ledger = { companyId, messageId: id, contactId: message.contactId };
  const bytes = (): Promise<Buffer> =>
    raw === null ? Promise.reject(new Error('Composed for a transport that wants no bytes')) : Promise.resolve(raw);
  return { channel: 'email', id: `${companyId}-${id}`, ledger, from, to, content, linked, raw: bytes };
}

export function smsOf(company: SendingCompany, { message, to }: Draft, text: string): Composed {
  const { companyId, id, contactId } = message;
  const body = smsText(text);
  if (body === '') return { kind: 'failed', reason: 'The message is empty' };
  const ledger = { companyId, messageId: id, contactId };
  return {
    kind: 'ready',
    outgoing: { channel: 'sms', id: `${companyId}-${id}`, ledger, from: smsSender(company, to), to, text: body },
  };
}
