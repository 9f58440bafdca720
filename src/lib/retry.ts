import pRetry from 'p-retry';
import { monotonicMs } from '../clock.ts';

/** After that a worker's claims have expired, and with them what it knows. A restart of the database takes less. */
const RETRY_FOR_MS = 20_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Retries idempotent work until it succeeds, with growing pauses. Throws the last error after `giveUp`, or when the
 * claims would have expired.
 */
export async function retry(work: () => Promise<unknown>, giveUp: AbortSignal): Promise<void> {
  const until = monotonicMs() + RETRY_FOR_MS;
  await pRetry(() => work().catch(rethrow), {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: FIRST_PAUSE_MS,
    maxTimeout: LONGEST_PAUSE_MS,
    // Not its `signal`: that would throw away the last error, and a result that came after the signal.
    shouldRetry: ({ retryDelay }) => !giveUp.aborted && monotonicMs() + retryDelay <= until,
  });
}

/** The library never retries after a TypeError; a driver throws one too when a connection was lost. */
function rethrow(error: unknown): never {
  throw error instanceof TypeError ? new Error(error.message, { cause: error }) : error;
}
