import type { ServerResponse } from 'node:http';

/** Calls back once the response has ended, or at once if its client is already gone: `close` is emitted only once. */
export function onClosed(raw: ServerResponse, free: () => void): void {
  if (raw.destroyed || raw.closed) free();
  else raw.once('close', free);
}
