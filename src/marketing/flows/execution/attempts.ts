/** When the work of a company's flows that could not be done is tried again. */

const FIRST_MS = 5_000;
/** Milliseconds between two tries at most. */
export const LONGEST_MS = 3_600_000;
const MAX_ERROR = 500;

/** After five seconds, twice as long each time, an hour at most; and what was in the way, as far as it is kept. */
export function nextTry(attempts: number, error: unknown, now: Date): { dueAt: Date; error: string } {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));
  return { dueAt: new Date(now.getTime() + wait), error: messageOf(error).slice(0, MAX_ERROR) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
