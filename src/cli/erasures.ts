import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createJournalFile, type JournalEntry } from '../erasure/journal-file.ts';
import { replayErasures, searchAll } from '../erasure/service.ts';
import { findInstallation } from '../installation.ts';
import { suppressionsOf } from '../messaging/service.ts';
import { settings, type Workplace, withDatabase } from './database.ts';
import { printResult, withExample } from './output.ts';

interface Flags {
  dataDir?: string;
  json?: boolean;
}

export function erasuresCommand(): Command {
  const erasures = new Command('erasures').description('Erasures of customers and contacts.');
  const replay = new Command('replay')
    .description('Repeat erasures from the journal file that a restored database does not have.')
    .argument('[file]', 'the journal file (TRADELOOM_ERASURE_LOG, erasures.log in the data folder)')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (file: string | undefined, flags: Flags) => {
      const entries = await journalEntries(settings(flags), file);
      const replayed = await withDatabase(flags, (place) => replayIn(place, entries));
      printResult(flags.json, { replayed }, `${replayed} erasures were repeated.`);
    });
  erasures.addCommand(withExample(replay, 'tradeloom erasures replay'));
  return withExample(erasures, 'tradeloom erasures replay');
}

/**
 * Reads the journal of erasures that a command names, or that of the settings, which does not exist before the first erasure.
 * @throws Error for a file that is none: taken for one, it would leave erased people in the database
 */
export async function journalEntries({ erasureLog }: Readonly<Config>, named?: string): Promise<JournalEntry[]> {
  if (named === undefined && !existsSync(erasureLog)) return [];
  return createJournalFile(named === undefined ? erasureLog : resolve(named)).readNamed();
}

/** Returns how many were not known. */
export async function replayIn(
  { db, masterKey }: Pick<Workplace, 'db' | 'masterKey'>,
  entries: readonly JournalEntry[],
): Promise<number> {
  const { clock_offset_ms: ahead } = await findInstallation(db);
  const clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
  const deps = { db, clock, masterKey, suppressions: suppressionsOf(masterKey) };
  const replayed = await replayErasures(deps, entries);
  for (const { companyId, id } of replayed) await searchAll(deps, companyId, id);
  return replayed.length;
}
