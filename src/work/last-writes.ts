import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** How long they may take. */
const LIMIT_MS = 2_000;

/** Waits for what a process still writes when it stops. A database that does not respond must not delay the stop. */
export async function lastWrites(log: Logger, writes: Promise<unknown>[]): Promise<void> {
  const written = Promise.allSettled(writes).then((ends) => {
    for (const end of ends) {
      if (end.status === 'rejected') log.warn({ err: end.reason }, 'the last figures of this process were not written');
    }
  });
  await Promise.race([written, sleep(LIMIT_MS, undefined, { ref: false })]);
}
