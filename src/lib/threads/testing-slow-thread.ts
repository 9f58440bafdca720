import { setTimeout as sleep } from 'node:timers/promises';

/** How long this thread takes to load. */
const LOAD_MS = 1_500;

await sleep(LOAD_MS);
await import('./testing-thread.ts');
