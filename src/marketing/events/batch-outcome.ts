import type { Settled } from '../../db/batching/batcher.ts';
import { AppError } from '../../errors.ts';
import type { EventOutcome } from './event.ts';

/** The outcomes of the events of one request. */
export interface BatchOutcome {
  accepted: number;
  duplicates: number;
  rejected: { index: number; message: string }[];
  events: (EventOutcome & { index: number })[];
}

export function settle<T>(work: () => T): Settled<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, error };
  }
}

export function summarise(outcomes: Settled<EventOutcome>[]): BatchOutcome {
  const summary: BatchOutcome = { accepted: 0, duplicates: 0, rejected: [], events: [] };
  outcomes.forEach((outcome, index) => {
    if (outcome.ok) {
      summary[outcome.value.duplicate ? 'duplicates' : 'accepted']++;
      summary.events.push({ index, ...outcome.value });
    } else if (outcome.error instanceof AppError) {
      summary.rejected.push({ index, message: messageOf(outcome.error) });
    } else throw outcome.error;
  });
  return summary;
}

/** All errors of one event in one sentence. */
function messageOf(error: AppError): string {
  const fields = (error.details.fields ?? []) as { message: string }[];
  return fields.length > 0 ? fields.map((field) => field.message).join('; ') : error.message;
}
