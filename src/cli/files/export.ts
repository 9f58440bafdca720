import { resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../../clock.ts';
import { exportCompany } from '../../exports/service.ts';
import { withDatabase } from '../database.ts';
import { wholeNumber } from '../numbers.ts';
import { printResult, table, withExample } from '../output.ts';

export function exportCommand(): Command {
  const command = new Command('export')
    .description('Export all data of a company as JSON Lines and CSV files, one pair per table, without secrets.')
    .argument('<company>', 'the id of the company', wholeNumber)
    .requiredOption('--to <folder>', 'a folder that is empty or does not exist')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (company: number, flags: { to: string; dataDir?: string; json?: boolean }) => {
      const folder = resolve(flags.to);
      const exported = await withDatabase(flags, ({ connection, masterKey }) =>
        exportCompany(connection, company, { folder, masterKey, now: systemClock.now() }),
      );
      const filled = exported.tables.filter(({ rows }) => rows > 0);
      const lines = table(
        ['TABLE', 'ROWS'],
        filled.map((one) => [one.table, one.rows]),
      );
      printResult(flags.json, { folder, ...exported }, `All data of ${exported.name} is in ${folder}:\n${lines}`);
    });
  return withExample(command, 'tradeloom export 1 --to ./export');
}
