import { monotonicMs } from '../clock.ts';
import { runTextJob, type TextJob, type TextJobs, type TextKind } from './compose/text-jobs.ts';
import { serveJobs } from './worker-port.ts';

serveJobs<TextJob, TextJobs[TextKind]['output']>((job) => {
  const began = monotonicMs();
  return runTextJob(job, () => monotonicMs() - began);
});
