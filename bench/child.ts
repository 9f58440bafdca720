import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { ServerRequest } from './server.ts';

/** The child's next message; throws when it ends instead. */
export function answerOf<T>(child: ChildProcess, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`${name} ended by itself (exit code ${code})`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

export async function ask(server: ChildProcess, request: ServerRequest): Promise<void> {
  const answered = answerOf(server, 'The server');
  server.send(request);
  await answered;
}

/** Resident memory of a process in MiB; null where the system does not tell. */
export async function memoryOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}

/** Microseconds of processor time that a process has used in all its threads; 0 where the system does not tell. */
export async function processorTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Behind the name, which may hold anything; in hundredths of a second.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10_000;
}
