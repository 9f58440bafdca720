import { Command } from 'commander';
import { Agent, fetch } from 'undici';
import { parseDuration } from '../duration.ts';
import { originOf } from '../origin.ts';
import { settings } from './database.ts';
import { printResult, UsageError, withExample } from './output.ts';

interface Flags {
  host?: string;
  port?: string;
  dataDir?: string;
  json?: boolean;
}

export function clockCommand(): Command {
  const clock = new Command('clock').description('Move the clock of a server that runs with --test-clock.');
  const advance = new Command('advance')
    .description('Advance the clock. All work that becomes due runs in order.')
    .argument('<duration>', 'such as 45d or "3 days"')
    .option('--host <address>', "the server's address (HOST, 127.0.0.1)")
    .option('--port <number>', "the server's port (PORT, 3000)")
    .option('--data-dir <folder>', 'accepted for uniformity: the server has its data folder')
    .option('--json', 'print the result as JSON')
    .action(async (duration: string, flags: Flags) => {
      if (parseDuration(duration) === null)
        throw new UsageError(`${duration} is not a duration. Use a form such as 45d or 12h`);
      const config = settings(flags);
      const moved = await putForward(originOf({ ...config, publicUrl: null }), duration);
      printResult(flags.json, moved, `The clock is now at ${moved.now}, after ${moved.stops} stops.`);
    });
  clock.addCommand(withExample(advance, 'tradeloom clock advance 45d'));
  return withExample(clock, 'tradeloom clock advance "3 days"');
}

async function putForward(origin: string, advance: string): Promise<{ now: string; stops: number }> {
  const request = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ advance }),
    // Advancing a large shop by a long time takes longer than the default timeout of five minutes.
    dispatcher: new Agent({ headersTimeout: 0 }),
  };
  const response = await fetch(`${origin}/admin/api/test-clock`, request).catch((cause: unknown) => {
    throw new Error(`No server responds at ${origin}. Start one with --test-clock, or specify its --port`, { cause });
  });
  if (response.status === 404) throw new Error(`The server at ${origin} runs without --test-clock`);
  const body = (await response.json()) as { now: string; stops: number; message?: string };
  if (!response.ok) throw new Error(body.message ?? `The server at ${origin} responded with ${response.status}`);
  return body;
}
