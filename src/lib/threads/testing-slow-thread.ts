import { setTimeout as sleep } from 'node:timers/promises';
import { serveJobs } from './port.ts';

/** How long this thread takes to load. */
const LOAD_MS = 1_500;

await sleep(LOAD_MS);
serveJobs(({ endless }: { endless: boolean }) => {
  while (endless);
  return 'done';
});
