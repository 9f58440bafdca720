import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { explain } from '../output.ts';
import { listenForTermination } from './termination.ts';

export interface Interruption {
  /** Aborted when the command is interrupted. */
  signal: AbortSignal;
  /**
   * Adds what must be done before the process ends, such as stopping a server that the command has started. If the command is interrupted,
   * the latest is done first. Returns a function that takes it back.
   */
  before(cleanUp: CleanUp): () => void;
}

type CleanUp = () => Promise<unknown>;

/** How long interrupted work gets to remove its drafts, once everything else is cleaned up. */
const LAST_WORDS_MS = 1_000;

/**
 * Runs a command's work. Ctrl-C, SIGTERM and SIGHUP end the process as they usually do (a shell sees 130 for Ctrl-C), but only after what was
 * given to `before` is done: without that, a database server that a command has started would go on for good. A signal more than 2 s
 * after the first one does not wait for it.
 */
export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const termination = listenForTermination();
  const aborted = new AbortController();
  const cleanUps = new Set<CleanUp>();
  const working = work({
    signal: aborted.signal,
    before(cleanUp) {
      cleanUps.add(cleanUp);
      return () => cleanUps.delete(cleanUp);
    },
  });
  const ended = working.then(
    () => null,
    () => null,
  );
  const signal = await Promise.race([termination.asked, ended]);
  if (signal === null) {
    termination.ignore();
    return working;
  }
  aborted.abort();
  process.stderr.write('Interrupted.\n');
  const cleaned = (async () => {
    // One that fails keeps none from what it has to do.
    for (const cleanUp of [...cleanUps].reverse()) await cleanUp().catch(explain);
    await Promise.race([ended, sleep(LAST_WORDS_MS)]);
  })();
  await Promise.race([cleaned, termination.forced]).catch(explain);
  termination.ignore();
  process.kill(process.pid, signal);
  // The first process of a container is not ended by its own signals.
  process.exit(128 + constants.signals[signal]);
}
