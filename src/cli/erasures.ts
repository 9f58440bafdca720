import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { createJournalFile } from '../erasure/journal-file.ts';
import { replayErasures, searchAll } from '../erasure/service.ts';
import { findInstallation } from '../installation.ts';
import { suppressionsOf } from '../messaging/service.ts';
import { type Workplace, withDatabase } from './database.ts';
import { printResult, withExample } from './output.ts';

interface Flags {
  dataDir?: string;
  json?: boolean;
}

export function erasuresCommand(): Command {
  const erasures = new Command('erasures').description('Erasures of customers and contacts.');
  const replay = new Command('replay')
    .description('Repeat the erasures of the journal file that a restored database does not know.')
    .argument('[file]', 'the journal file (TRADELOOM_ERASURE_LOG, erasures.log in the data folder)')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (file: string | undefined, flags: Flags) => {
      const replayed = await withDatabase(flags, (place) => replayIn(place, file));
      printResult(flags.json, { replayed }, `${replayed} erasures were repeated.`);
    });
  erasures.addCommand(withExample(replay, 'tradeloom erasures replay'));
  return withExample(erasures, 'tradeloom erasures replay');
}

/** Returns how many were not known. */
export async function replayIn({ db, config, masterKey }: Workplace, file?: string): Promise<number> {
  const { clock_offset_ms: ahead } = await findInstallation(db);
  const clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
  const deps = { db, clock, masterKey, suppressions: suppressionsOf(masterKey) };
  const journalFile = createJournalFile(file ?? config.erasureLog);
  const replayed = await replayErasures(deps, await journalFile.read());
  for (const { companyId, id } of replayed) await searchAll(deps, companyId, id);
  return replayed.length;
}
