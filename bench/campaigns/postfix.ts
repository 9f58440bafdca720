import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endWithProcess } from '../server/endings.ts';

/** Connections of each side: the product's, and smtp-source's. */
export const CONNECTIONS = 10;
/** Size of an e-mail on the wire: both parts, their encoding and the headers. */
const MAIL_BYTES = 10_240;
/** E-mails that smtp-source sends: some two seconds. */
const SOURCE_MESSAGES = 60_000;
const run = promisify(execFile);

/** Runs postfix's smtp-source into the sink; returns e-mails per second. */
export async function measureSource(port: number): Promise<number> {
  const size = ['-l', String(MAIL_BYTES), '-m', String(SOURCE_MESSAGES), '-s', String(CONNECTIONS)];
  const began = performance.now();
  await run('smtp-source', ['-d', ...size, '-f', 'a@shop.example', '-t', 'b@shop.example', `127.0.0.1:${port}`]);
  return SOURCE_MESSAGES / ((performance.now() - began) / 1000);
}

/** Starts postfix's sink on a free port; null where it is not installed (Debian: postfix). */
export async function startSink(): Promise<{ port: number; process: ChildProcess } | null> {
  const port = await freePort();
  const child = spawn('smtp-sink', ['-u', 'nobody', `127.0.0.1:${port}`, '100'], { stdio: 'ignore' });
  endWithProcess(async () => child.kill());
  const started = await Promise.race([
    new Promise<false>((resolve) => child.once('error', () => resolve(false))),
    pause(500, true),
  ]);
  return started ? { port, process: child } : null;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
