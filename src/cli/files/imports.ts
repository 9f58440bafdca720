import { Command } from 'commander';
import type { Import } from '../../imports/schemas.ts';
import { withDatabase } from '../database.ts';
import { wholeNumber } from '../numbers.ts';
import { printResult, table, withExample } from '../output.ts';
import { type ImportsHere, withImports } from './imports-here.ts';

interface Flags {
  company: number;
  dataDir?: string;
  json?: boolean;
}

/** Imports that are listed: the latest. */
const LISTED = 100;

export function importsCommand(): Command {
  const imports = new Command('imports').description('The imports of a company: list, cancel and undo them.');
  const list = withCompany(
    new Command('list').description(`List a company's latest imports, at most ${LISTED}.`),
  ).action(async (flags: Flags) => {
    const rows = await withDatabase(flags, (place) =>
      withImports(place, flags.company, async (here) => {
        return (await here.imports.listImports(flags.company, { page: 1, per_page: LISTED })).rows;
      }),
    );
    printResult(flags.json, { imports: rows }, tableOf(rows));
  });
  imports.addCommand(withExample(list, 'tradeloom imports list --company 1'));
  imports.addCommand(
    changing('cancel', 'Cancel an import. Imported records stay and can be undone.', async (here, id) =>
      here.imports.cancelImport(here.caller(), id),
    ),
  );
  imports.addCommand(
    changing('undo', 'Undo an import of the last seven days; records changed since stay.', async (here, id) => {
      const { status } = await here.imports.getImport(here.caller().companyId, id);
      // An undo that was interrupted goes on.
      if (status !== 'undoing') await here.imports.undoImport(here.caller(), id);
      return here.ended(id);
    }),
  );
  return withExample(imports, 'tradeloom imports list --company 1');
}

function changing(name: string, description: string, change: (here: ImportsHere, id: number) => Promise<Import>) {
  const command = withCompany(new Command(name).description(description).argument('<id>', 'the import', wholeNumber));
  command.action(async (id: number, flags: Flags) => {
    const row = await withDatabase(flags, (place) => withImports(place, flags.company, (here) => change(here, id)));
    if (row.status === 'failed') process.exitCode = 1;
    const undone = row.status === 'undone' ? `: ${row.undone} records undone, ${row.kept} kept` : '';
    const text = `Import ${row.id} of ${row.file_name} is ${row.status}${undone}`;
    printResult(flags.json, row, row.error === null ? text : `${text}: ${row.error}`);
  });
  return withExample(command, `tradeloom imports ${name} 12 --company 1`);
}

function withCompany(command: Command): Command {
  return command
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON');
}

function tableOf(rows: Import[]): string {
  const columns = ['ID', 'FORMAT', 'FILE', 'STATUS', 'CREATED', 'UPDATED', 'REFUSED', 'UNDO UNTIL'];
  return table(
    columns,
    rows.map(({ id, format, file_name, status, created, updated, refused, undo_until }) => {
      return [id, format, file_name, status, created, updated, refused, undo_until?.slice(0, 16) ?? ''];
    }),
  );
}
