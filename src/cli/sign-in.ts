import { Command } from 'commander';
import { issueSignIn } from '../access/sessions.ts';
import { systemClock } from '../clock.ts';
import { originOf } from '../origin.ts';
import { withDatabase } from './database.ts';
import { printResult, withExample } from './output.ts';
import { signInUrl } from './start/welcome.ts';

export function signInCommand(): Command {
  const command = new Command('sign-in')
    .description('Create a sign-in link for the admin app, valid once for an hour.')
    .option('--host <address>', "the server's address (HOST, 127.0.0.1)")
    .option('--port <number>', "the server's port (PORT, 3000)")
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { host?: string; port?: string; dataDir?: string; json?: boolean }) => {
      const url = await withDatabase(flags, async ({ config, db }) => {
        const token = await issueSignIn(db, systemClock.now());
        return signInUrl(originOf(config), token);
      });
      printResult(flags.json, { url }, url);
    });
  return withExample(command, 'tradeloom sign-in --port 8080');
}
