import { monotonicMs } from '../../clock.ts';

const EVERY_MS = 200;
const WIDTH = 30;

/**
 * A bar on standard error that is redrawn in place, if that is a terminal; elsewhere nothing is shown.
 * @returns `show`, to call with the progress, and `end`, which removes the bar
 */
export function progressBar(name: string): { show(done: number, total: number): void; end(): void } {
  const { stderr } = process;
  let last = Number.NEGATIVE_INFINITY;
  return {
    show(done, total) {
      if (!stderr.isTTY || monotonicMs() - last < EVERY_MS) return;
      last = monotonicMs();
      // The total is an estimate: what is written meanwhile is added to it.
      const share = total > 0 ? Math.min(1, done / total) : 0;
      const filled = Math.round(share * WIDTH);
      const percent = `${Math.floor(share * 100)}`.padStart(3);
      stderr.write(`\r${name} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${percent} %  ${megabytes(done)}`);
    },
    end() {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
