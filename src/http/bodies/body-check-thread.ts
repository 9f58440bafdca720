import { serveJobs } from '../../lib/threads/port.ts';
import { type BodyCheckJob, type CheckedBody, checkBody } from './body-check.ts';

serveJobs<BodyCheckJob, CheckedBody>(checkBody);
