import { Command } from 'commander';
import { endSessions } from '../access/sessions.ts';
import { withDatabase } from './database.ts';
import { printResult, withExample } from './output.ts';

export function signOutCommand(): Command {
  const command = new Command('sign-out')
    .description('End all sessions of the admin app and revoke unused sign-in links.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const ended = await withDatabase(flags, ({ db }) => endSessions(db));
      printResult(flags.json, ended, `Sessions ended: ${ended.sessions}; links revoked: ${ended.links}`);
    });
  return withExample(command, 'tradeloom sign-out');
}
