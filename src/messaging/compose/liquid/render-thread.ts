import { monotonicMs } from '../../../clock.ts';
import { serveJobs } from '../../../lib/threads/port.ts';
import { runTextJob, type TextJob, type TextJobs, type TextKind } from '../text-jobs.ts';

serveJobs<TextJob, TextJobs[TextKind]['output']>((job) => {
  const began = monotonicMs();
  return runTextJob(job, () => monotonicMs() - began);
});
