import { Command } from 'commander';
import { settings } from '../database.ts';
import { withExample } from '../output.ts';

interface Flags {
  port?: string;
  host?: string;
  dataDir?: string;
  role?: string;
  empty?: boolean;
  testClock?: boolean;
}

export function startCommand(): Command {
  const command = new Command('start')
    .description('Run the server and its workers until SIGTERM or Ctrl-C.')
    .option('--port <number>', 'port to listen on; 0 chooses a free one (PORT, 3000)')
    .option('--host <address>', 'address to listen on (HOST, 127.0.0.1)')
    .option('--data-dir <folder>', 'database, master key and logs (TRADELOOM_DATA_DIR, ./data)')
    .option('--role <role>', 'api: requests; worker: background work; all: both (all)')
    .option('--empty', 'no demo shop at the first start')
    .option('--test-clock', 'allow `tradeloom clock advance`; refused in production')
    .action(async (flags: Flags) => {
      const config = settings(flags);
      // The server's libraries take a moment to load: other commands do not load them.
      const { serve } = await import('./serve.ts');
      try {
        await serve(config, { empty: flags.empty ?? false });
      } finally {
        // Exits even if a library still holds something open or a database went silent.
        setTimeout(() => process.exit(), 1_000).unref();
      }
    });
  return withExample(command, 'tradeloom start --port 8080 --data-dir /var/lib/tradeloom');
}
