import type { DeliveryResult } from '../send/transports/port.ts';
import type { ClaimedMessage } from './message.ts';
import type { Settled } from './settle-queries.ts';

/** Maximum number of attempts at one message; with the pauses between them they take about eleven hours. */
export const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3 * 3_600_000;

/** Converts the result of a hand-over to its form in the ledger. */
export function settledBy(message: ClaimedMessage, result: DeliveryResult, now: Date): Settled {
  const { attempts } = message;
  const held = { id: message.id, epoch: message.epoch, attempt: true } as const;
  if (result.kind === 'sent') return { ...held, status: 'sent', reply: result.reply };
  if (result.kind === 'unknown') return { ...held, status: 'unknown', reason: result.reason };
  const { reply, fault } = result;
  if (result.permanent) return { ...held, status: 'failed', reason: `refused_${fault}`, reply };
  if (attempts + 1 >= MAX_ATTEMPTS) {
    return { ...held, status: 'failed', reason: `gave_up_${fault}`, reply };
  }
  const dueAt = new Date(now.getTime() + pauseAfter(attempts + 1));
  return { ...held, status: 'queued', reason: `retry_${fault}`, reply, dueAt };
}

/** Returns the milliseconds between the n-th attempt and the next one. */
export function pauseAfter(attempt: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** (attempt - 1));
}

/** Returns what a result says about the recipient's address: only a fault of the recipient is a bounce. */
export function bounceOf(result: DeliveryResult): 'hard' | 'soft' | null {
  if (result.kind !== 'failed' || result.fault !== 'recipient') return null;
  return result.permanent ? 'hard' : 'soft';
}
