import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';

/** What a worker knows is lost with its claims: a restart of the database takes less. */
const KEEP_TRYING_MS = 20_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Does what may be done several times until it succeeds; throws the last failure when the claims would be over. */
export async function keepTrying(work: () => Promise<unknown>, giveUp: AbortSignal): Promise<void> {
  const until = monotonicMs() + KEEP_TRYING_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if (giveUp.aborted || monotonicMs() + wait > until) throw error;
      await pause(wait);
    }
  }
}
