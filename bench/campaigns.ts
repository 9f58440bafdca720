import { fork } from 'node:child_process';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { emails, signedEmails } from './campaigns/emails.ts';
import { fanOut } from './campaigns/fan-out.ts';
import { CONNECTIONS, startSink } from './campaigns/postfix.ts';
import { messageFrom } from './load/child-process.ts';
import type { Target } from './server/target.ts';

const BATCH = 50;

async function bench(only: string[], seconds: number): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const sink = await startSink();
  const server = fork(
    new URL('./server/server.ts', import.meta.url),
    sink === null ? [] : [`smtp://127.0.0.1:${sink.port}?tls=off&connections=${CONNECTIONS}&batch=${BATCH}`],
  );
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const client = new pg.Client(target.database);
    await client.connect();
    const all = { target, server, client, say };
    if (only.includes('emails')) {
      if (sink === null) say('campaign-emails   not measured: there is no smtp-sink on this machine (Debian: postfix)');
      else await emails(all, sink.port, seconds);
    }
    if (only.includes('signed') && sink !== null) await signedEmails(all, seconds);
    if (only.includes('fan-out')) await fanOut(all);
    await client.end();
  } finally {
    if (server.connected) server.disconnect();
    sink?.process.kill();
  }
}

await new Command('campaigns')
  .description('Measure the sending side: e-mails per second beside smtp-source, and the fan-out of a million.')
  .option('--only <names>', 'emails, signed, fan-out', (names) => names.split(','), ['emails', 'signed', 'fan-out'])
  .option(
    '--seconds <n>',
    'how long e-mails are measured',
    (text) => {
      const seconds = Number(text);
      if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 600) return seconds;
      throw new InvalidArgumentError('It takes a whole number from 1 to 600.');
    },
    10,
  )
  .action(async (flags: { only: string[]; seconds: number }) => bench(flags.only, flags.seconds))
  .parseAsync();
