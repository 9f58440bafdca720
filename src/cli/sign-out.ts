import { Command } from 'commander';
import { endSessions } from '../access/sessions.ts';
import { withDatabase } from './database.ts';
import { printResult, withExample } from './output.ts';

export function signOutCommand(): Command {
  const command = new Command('sign-out')
    .description('End every session of the admin app, and take back sign-in links that nobody has used.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const ended = await withDatabase(flags, ({ db }) => endSessions(db));
      printResult(flags.json, ended, `Sessions ended: ${ended.sessions}; links taken back: ${ended.links}`);
    });
  return withExample(command, 'tradeloom sign-out');
}
