import { freePort } from '../free-port.ts';
import { type Outcome, type Program, startProgram, startWorkerProgram } from '../program.ts';
import type { Balancer } from './balancer.ts';

/** Several programs with one database behind a balancer: the first `apis` serve requests, the others work in the background. */
export interface Cluster {
  size: number;
  /** Ends a program with -9, without waiting for anything. Returns what it said. */
  kill(n: number): Promise<Outcome>;
  /** Starts a program that was killed, and waits until it serves requests, if it does. */
  start(n: number): Promise<void>;
  /** Ends all with SIGTERM. Returns what they said. */
  stop(): Promise<Outcome[]>;
}

type Running = Pick<Program, 'end'> & { port: number | null };

export async function startCluster(
  balancer: Balancer,
  env: Record<string, string>,
  { apis, workers }: { apis: number; workers: number },
): Promise<Cluster> {
  const running: (Running | undefined)[] = Array.from({ length: apis + workers }, () => undefined);

  async function startApi(): Promise<Running> {
    const port = await freePort();
    const { end } = await startProgram(['--empty', '--role', 'api', '--port', String(port)], env);
    balancer.add(port);
    return { end, port };
  }

  async function start(n: number): Promise<void> {
    running[n] = n < apis ? await startApi() : { ...startWorkerProgram(env, undefined, ['--empty']), port: null };
  }

  async function end(n: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<Outcome> {
    const { end: ended, port } = running[n]!;
    running[n] = undefined;
    const outcome = await ended(signal);
    if (port !== null) balancer.remove(port);
    return outcome;
  }

  const stop = (): Promise<Outcome[]> =>
    Promise.all(running.flatMap((one, n) => (one === undefined ? [] : [end(n, 'SIGTERM')])));

  const started = await Promise.allSettled(running.map((_, n) => start(n)));
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw (failed as PromiseRejectedResult).reason;
  }
  return {
    size: running.length,
    kill: (n) => end(n, 'SIGKILL'),
    start,
    stop,
  };
}
