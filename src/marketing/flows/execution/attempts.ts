const FIRST_MS = 5_000;
/** The longest delay between two attempts, in ms. */
export const LONGEST_DELAY_MS = 3_600_000;
const MAX_ERROR = 500;

/** Exponential backoff from 5 s to 1 h for failed work of flows, and the error in the form in which it is stored. */
export function nextAttempt(attempts: number, error: unknown, now: Date): { dueAt: Date; error: string } {
  const wait = Math.min(LONGEST_DELAY_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
  return { dueAt: new Date(now.getTime() + wait), error: messageOf(error).slice(0, MAX_ERROR) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
