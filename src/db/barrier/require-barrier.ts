import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Work } from './work-connection.ts';

/**
 * Without row-level security a single forgotten condition would show a company another company's rows. Throws in
 * production mode, unless the configuration permits it; otherwise logs a warning.
 */
export function requireBarrier(
  { gaps }: Work,
  config: Readonly<Pick<Config, 'mode' | 'withoutBarrier'>>,
  log: Logger,
): void {
  if (gaps.length === 0) return;
  if (config.mode === 'production' && !config.withoutBarrier) {
    throw new Error(
      `The barrier between companies is incomplete: ${gaps.slice(0, 3).join('; ')}. Allow the database user to create roles, or ` +
        'make them for it (docs/operations.md), or set TRADELOOM_WITHOUT_BARRIER=1 to go without',
    );
  }
  log.warn(
    { gaps: gaps.slice(0, 10) },
    'the barrier between companies is not complete: one statement could show another’s rows',
  );
}
