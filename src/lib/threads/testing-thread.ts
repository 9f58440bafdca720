import module from 'node:module';
import { getPriority } from 'node:os';
import { serveJobs } from './port.ts';

export type TestJob = 'fast' | 'endless' | 'hungry' | 'state';

/** The state of the thread while its modules were loaded. */
const loaded = JSON.stringify({ priority: getPriority(), cache: module.getCompileCacheDir() });

serveJobs((job: TestJob) => {
  while (job === 'endless');
  for (const held: unknown[][] = []; job === 'hungry'; ) held.push(Array.from({ length: 100_000 }, () => ({})));
  return job === 'state' ? loaded : 'done';
});
