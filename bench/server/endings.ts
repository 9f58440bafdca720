import { constants } from 'node:os';

const endings: (() => Promise<unknown>)[] = [];
let isEnding = false;

/**
 * Ends what this process has started when it ends, the newest first: by a signal, which `timeout` sends to all
 * processes of a group, by a failure, or when the parent process is gone. Ending something twice must do no harm.
 */
export function endWithProcess(end: () => Promise<unknown>): void {
  endings.push(end);
  if (endings.length > 1) return;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void endAll(128 + constants.signals[signal]));
  if (process.connected) process.once('disconnect', () => void endAll(0));
  process.on('uncaughtException', (error) => {
    // Work in progress fails when its database ends.
    if (!isEnding) report(error);
    void endAll(1);
  });
}

async function endAll(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  for (const end of endings.toReversed()) await end().catch(report);
  process.exit(code);
}

function report(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}
