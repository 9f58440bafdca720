import { serveJobs } from './port.ts';

export type TestJob = 'fast' | 'endless' | 'hungry';

serveJobs((job: TestJob) => {
  while (job === 'endless');
  for (const held: unknown[][] = []; job === 'hungry'; ) held.push(Array.from({ length: 100_000 }, () => ({})));
  return 'done';
});
