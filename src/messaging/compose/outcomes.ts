import type { Killed } from '../../lib/threads/job-items.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { OutgoingMessage } from '../send/transports/port.ts';
import { smsText } from '../send/transports/sms-segments.ts';
import { type SendingCompany, smsSender } from '../settings/settings.ts';
import type { RenderFailure } from './liquid/engine.ts';
import { failureOf } from './renderer.ts';
import type { RenderedMessage } from './thread/jobs.ts';

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

/** The message was not tried. */
export const GIVEN_BACK: Composed = { kind: 'later', reason: 'retry_compose', dueAt: null, attempt: false };

/** `ms`: time until the template is tried again; null if messages no longer wait for it. */
export function backedOffUntil(now: Date, ms: number | null): Composed {
  if (ms === null) return { kind: 'failed', reason: 'Rendering the template timed out repeatedly' };
  return { kind: 'later', reason: 'retry_compose', dueAt: new Date(now.getTime() + ms), attempt: false };
}

/** Retries, because the machine may have been overloaded. */
export function passingFailure({ attempts }: ClaimedMessage, error: string, now: Date): Composed {
  if (attempts + 1 >= MOST_TRIES) return { kind: 'failed', reason: error };
  return { kind: 'later', reason: 'retry_compose', dueAt: new Date(now.getTime() + TRY_AGAIN_MS), attempt: true };
}

/** What is known of a message before it is rendered. */
export interface Addressed {
  company: SendingCompany;
  message: ClaimedMessage;
  /** The sender's address; null for an SMS. */
  from: string | null;
  to: string;
  now: Date;
}

/** Returns what became of a message in a thread. */
export function outcomeOf(of: Addressed, result: RenderedMessage | Killed): Composed {
  if ('killed' in result) {
    return result.killed === 'closed' ? GIVEN_BACK : failedBy(of, failureOf(result.killed));
  }
  if (result.kind === 'failed') return failedBy(of, result.failure);
  if (result.kind === 'text') return smsOf(of, result.text);
  const { message, from, to } = of;
  const { companyId, id, contactId } = message;
  const ledger = { companyId, messageId: id, contactId };
  const email = { channel: 'email' as const, id: `${companyId}-${id}`, ledger, from: from!, to };
  if (result.kind === 'raw') {
    const { raw, linked } = result;
    return { kind: 'ready', outgoing: { ...email, content: null, linked, raw: async () => raw } };
  }
  return { kind: 'ready', outgoing: { ...email, content: result.content, raw: noBytes } };
}

async function noBytes(): Promise<Buffer> {
  throw new Error('Composed for a transport that wants no bytes');
}

function failedBy({ message, now }: Addressed, { error, line, exceeded }: RenderFailure): Composed {
  if (exceeded === 'time' || exceeded === 'interrupted') return passingFailure(message, error, now);
  return { kind: 'failed', reason: line === null ? error : `${error} (line ${line})` };
}

function smsOf({ company, message, to }: Addressed, rendered: string): Composed {
  const { companyId, id, contactId } = message;
  const text = smsText(rendered);
  if (text === '') return { kind: 'failed', reason: 'The message is empty' };
  const ledger = { companyId, messageId: id, contactId };
  return {
    kind: 'ready',
    outgoing: { channel: 'sms', id: `${companyId}-${id}`, ledger, from: smsSender(company, to), to, text },
  };
}

/** Whether a result counts against its template: it took too long, or its thread was killed. */
export function isStrike(result: RenderedMessage | Killed): boolean {
  if ('killed' in result) return result.killed !== 'closed';
  return result.kind === 'failed' && result.failure.exceeded === 'time';
}
