import { readFileSync } from 'node:fs';
import { monotonicMs } from '../../clock.ts';

/** Signals that follow each other so closely are one: npm hands on what the whole process group has got already. */
const ONE_SIGNAL_MS = 2_000;

/** Somebody did not want to wait for the end in order. */
export class ForcedEnd extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ForcedEnd';
  }
}

export interface Termination {
  /** Resolves at the first SIGTERM, SIGINT or SIGHUP, with its name. */
  asked: Promise<NodeJS.Signals>;
  /** Rejects with ForcedEnd at a signal more than 2 s after the first. */
  forced: Promise<never>;
}

/** From here on no signal but SIGKILL ends the process: whoever listens does. */
export function listenForTermination(): Termination {
  const { promise: asked, resolve: ask } = Promise.withResolvers<NodeJS.Signals>();
  const { promise: forced, reject: force } = Promise.withResolvers<never>();
  // Whoever does not wait for it any more is not to hear of it as an error that nobody handles.
  forced.catch(() => {});
  let first: number | undefined;
  const heard = (signal: NodeJS.Signals): void => {
    first ??= monotonicMs();
    ask(signal);
    if (monotonicMs() - first > ONE_SIGNAL_MS)
      force(new ForcedEnd('Ended by a second signal, before everything was done'));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, heard);
  if (!ignoresHangup()) process.on('SIGHUP', heard);
  return { asked, forced };
}

/** Under nohup it stays ignored. Only Linux tells; elsewhere SIGHUP does what it did. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return ignored === undefined || (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return true;
  }
}
