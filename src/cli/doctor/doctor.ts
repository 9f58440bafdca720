import { Command } from 'commander';
import { describeLeft, findLeftServers } from '../../db/embedded/left-servers.ts';
import { type Examination, examine } from '../../doctor/examine.ts';
import { describeTable } from '../../doctor/health.ts';
import type { Finding } from '../../invariants.ts';
import { settings, withConnection } from '../database.ts';
import { printResult, withExample } from '../output.ts';

/** How many of the largest tables are printed; the JSON output has all. */
const LARGEST = 10;

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Check stored data, settings and upkeep, and print how to fix each problem.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const { checks, tables } = await examined(flags).catch((error: Error) => {
        // Programs that read the output get JSON whatever happens; the sentence for people follows on standard error.
        if (flags.json)
          printResult(true, { ok: false, error: error.message, checks: [], left_servers: [], tables: [] }, '');
        throw error;
      });
      const ok = checks.every((check) => check.ok);
      // Concerns the machine and not this data, so it does not count as a failed check.
      const left = await findLeftServers();
      printResult(
        flags.json,
        { ok, checks, left_servers: left, tables },
        [...checks.map(line), ...tables.slice(0, LARGEST).map(describeTable), ...left.map(describeLeft)].join('\n'),
      );
      if (!ok) process.exitCode = 1;
    });
  return withExample(command, 'tradeloom doctor --json');
}

async function examined(flags: { dataDir?: string }): Promise<Examination> {
  const config = settings(flags);
  return withConnection(config, (connection) => examine(config, connection));
}

function line({ ok, promise, violations, examples, fix }: Finding): string {
  if (ok && examples.length === 0) return `ok    ${promise}`;
  const places = examples.map(
    ({ company_id, subject }) => `\n        ${company_id ? `company ${company_id}, ` : ''}${subject}`,
  );
  if (ok) return `note  ${promise}, but for:${places.join('')}\n      ${fix}.`;
  return `WRONG ${promise}: ${violations} times, such as${places.join('')}\n      ${fix}.`;
}
