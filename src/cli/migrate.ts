import { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import type { PlannedLock } from '../db/migrating/plan.ts';
import { settings, withConnection } from './database.ts';
import { printResult, withExample } from './output.ts';

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description('Apply the open migrations. `start` does this automatically.')
    .option('--check', 'only list the migrations that would run')
    .option('--plan', 'only show which tables would be locked, and for how long')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { check?: boolean; plan?: boolean; dataDir?: string; json?: boolean }) => {
      const onlyAsks = flags.check || flags.plan;
      const report = await withConnection(
        settings(flags),
        (connection) => migrate(connection, { check: flags.check, plan: flags.plan }),
        { begins: !onlyAsks },
      );
      const names = onlyAsks ? report.pending : report.applied;
      const verb = onlyAsks ? 'Would apply' : 'Applied';
      printResult(
        flags.json,
        { applied: report.applied, pending: report.pending, locks: report.locks },
        names.length === 0
          ? 'The database is up to date.'
          : [...names.map((name) => `${verb} ${name}`), ...(report.locks ?? []).map(describeLock)].join('\n'),
      );
    });
  return withExample(command, 'tradeloom migrate --check');
}

const BLOCKED = { nothing: 'others go on', writes: 'writes wait', everything: 'reads and writes wait' };

function describeLock({ table, blocks, rows, bytes, seconds, statement }: PlannedLock): string {
  const time = seconds === 0 ? 'a moment' : `about ${seconds} s`;
  return `  ${table} (${rows} rows, ${Math.ceil(bytes / 1_048_576)} MB): ${BLOCKED[blocks]} for ${time}: ${statement}`;
}
