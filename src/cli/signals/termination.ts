import { readFileSync } from 'node:fs';
import { monotonicMs } from '../../clock.ts';

/** Signals in such quick succession count as one: npm forwards what the whole process group has received already. */
const ONE_SIGNAL_MS = 2_000;

/** Somebody did not want to wait for the orderly end. */
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
  /** Gives signals their usual effect again. */
  ignore(): void;
}

/** From here on no signal but SIGKILL ends the process; the listener has to. */
export function listenForTermination(): Termination {
  const { promise: asked, resolve: ask } = Promise.withResolvers<NodeJS.Signals>();
  const { promise: forced, reject: force } = Promise.withResolvers<never>();
  // If nobody awaits it any more, it must not become an unhandled rejection.
  forced.catch(() => {});
  let first: number | undefined;
  const heard = (signal: NodeJS.Signals): void => {
    first ??= monotonicMs();
    ask(signal);
    if (monotonicMs() - first > ONE_SIGNAL_MS)
      force(new ForcedEnd('Ended by a second signal, before everything was done'));
  };
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
  if (!ignoresHangup()) signals.push('SIGHUP');
  for (const signal of signals) process.on(signal, heard);
  const ignore = (): void => {
    for (const signal of signals) process.off(signal, heard);
  };
  return { asked, forced, ignore };
}

/** Under nohup SIGHUP stays ignored. Only Linux shows whether it is; elsewhere SIGHUP keeps its effect. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return ignored === undefined || (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return true;
  }
}
