import { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import { settings, withConnection } from './database.ts';
import { printResult, withExample } from './output.ts';

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description("Bring the database to this program's schema; `start` does the same by itself.")
    .option('--check', 'only say what would run')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { check?: boolean; dataDir?: string; json?: boolean }) => {
      const report = await withConnection(settings(flags), (connection) => migrate(connection, { check: flags.check }));
      const names = flags.check ? report.pending : report.applied;
      const verb = flags.check ? 'Would apply' : 'Applied';
      printResult(
        flags.json,
        report,
        names.length === 0 ? 'The database is up to date.' : names.map((name) => `${verb} ${name}`).join('\n'),
      );
    });
  return withExample(command, 'tradeloom migrate --check');
}
