import { constants, type FileHandle, open, readFile, statfs } from 'node:fs/promises';
import { diskFull } from './folder.ts';
import type { Launch, ServerPlan } from './server-plan.ts';

const MAX_LOG_BYTES = 10 * 2 ** 20;
const SCARCE_BYTES = 2 ** 20;

/** Opens the server's log for appending, and empties it when it has passed 10 MB; a running server appends, too. */
export async function openLog(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const log = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate();
  return log;
}

/** The last five lines of the log since the launch. */
export async function lastWords(plan: ServerPlan, launch: Launch): Promise<string> {
  const log = await readFile(plan.logFile);
  return log.subarray(launch.logStart).toString().trim().split('\n').slice(-5).join('\n');
}

export async function startFailure(plan: ServerPlan, ended: string, words: string): Promise<Error> {
  // On a full disk this message may be missing from the log as well.
  const { bavail, bsize } = await statfs(plan.dataDir);
  if (/No space left on device|Disk quota exceeded/.test(words) || bavail * bsize < SCARCE_BYTES) {
    return new Error(diskFull(plan.dataDir));
  }
  return new Error(
    `PostgreSQL on ${plan.folder} did not start (${ended}): see ${plan.logFile}, or set DATABASE_URL to use another ` +
      `server. Its last words:\n${words}`,
  );
}
