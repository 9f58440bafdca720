import { resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../../clock.ts';
import { loadCompany } from '../../exports/load.ts';
import { withDatabase } from '../database.ts';
import { printResult, table, withExample } from '../output.ts';

interface Flags {
  keepSending?: boolean;
  dataDir?: string;
  json?: boolean;
}

export function loadCommand(): Command {
  const command = new Command('load')
    .description(
      'Load an export as a new company. Sending is held, so that two installations do not write to the same people.',
    )
    .argument('<folder>', 'a folder that tradeloom export wrote')
    .option('--keep-sending', 'do not hold sending: the other installation is stopped')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (folder: string, { keepSending = false, ...flags }: Flags) => {
      const now = systemClock.now();
      const loaded = await withDatabase(
        flags,
        ({ db, masterKey }) => loadCompany(db, { folder: resolve(folder), masterKey, now, holdSending: !keepSending }),
        { begins: true },
      );
      printResult(flags.json, { ...loaded, sending_held: !keepSending }, textOf(loaded, keepSending));
    });
  return withExample(command, 'tradeloom load ./export');
}

function textOf(loaded: Awaited<ReturnType<typeof loadCompany>>, keepSending: boolean): string {
  const filled = loaded.tables.filter(({ rows }) => rows > 0);
  const lines = [
    `Company ${loaded.company_id}, ${loaded.name}, is loaded. Its webhook secret, shown only once:`,
    loaded.webhook_secret,
    table(
      ['TABLE', 'ROWS'],
      filled.map((one) => [one.table, one.rows]),
    ),
    'An export does not contain API keys, customer passwords or webhook secrets. Create new ones.',
  ];
  if (!keepSending) lines.push('Sending of this installation is held. To resume it, run `tradeloom sending confirm`.');
  return lines.join('\n');
}
