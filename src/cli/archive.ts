import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { listCompanies } from '../access/service.ts';
import { systemClock } from '../clock.ts';
import { findInstallation } from '../installation.ts';
import { periodsOf } from '../retention/horizon.ts';
import { KINDS, type Kind } from '../retention/kinds.ts';
import {
  ARCHIVE_FORMATS,
  type Archived,
  type ArchiveFormat,
  archive,
  checkFormat,
  findRetention,
  OtherFormat,
} from '../retention/service.ts';
import { withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, UsageError, withExample } from './output.ts';

interface Flags {
  to: string;
  company?: number;
  kind?: Kind[];
  format: ArchiveFormat;
  ahead: number;
  dataDir?: string;
  json?: boolean;
}

export function archiveCommand(): Command {
  const command = new Command('archive')
    .description('Write data that is about to be removed to compressed files, one for each kind and month.')
    .requiredOption('--to <folder>', 'the folder of the archive')
    .option('--company <id>', 'only this company', wholeNumber)
    .option('--kind <kinds...>', `only these kinds: ${KINDS.join(', ')}`)
    .addOption(
      new Option('--format <format>', 'JSON Lines or CSV')
        .choices(ARCHIVE_FORMATS)
        .default('jsonl' satisfies ArchiveFormat),
    )
    .option('--ahead <days>', 'include data that will be removed within this many days', wholeNumber, 31)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: Flags) => {
      const unknown = flags.kind?.find((kind) => !KINDS.includes(kind));
      if (unknown !== undefined) throw new UsageError(`Unknown kind ${unknown}. Kinds: ${KINDS.join(', ')}`);
      const companies = await archiveAll(flags);
      const lines = companies.flatMap(({ company_id, archived }) => archived.map((one) => describe(company_id, one)));
      printResult(flags.json, { companies }, lines.length === 0 ? 'No data is due for removal.' : lines.join('\n'));
    });
  return withExample(command, 'tradeloom archive --to /mnt/archive --ahead 31');
}

function archiveAll(flags: Flags): Promise<{ company_id: number; archived: Archived[] }[]> {
  return withDatabase(flags, async ({ db }) => {
    const { clock_offset_ms: offset } = await findInstallation(db);
    const now = new Date(systemClock.now().getTime() + offset);
    const ids = (await listCompanies(db)).map(({ company_id }) => company_id);
    if (flags.company !== undefined && !ids.includes(flags.company))
      throw new UsageError(`Unknown company ${flags.company}`);
    const chosen = flags.company === undefined ? ids : [flags.company];
    const how = { kinds: flags.kind ?? KINDS, folder: resolve(flags.to), format: flags.format };
    // Checks all of them before the first is written.
    for (const companyId of chosen) await checkFormat({ companyId, ...how }).catch(asUsageError);
    const done: { company_id: number; archived: Archived[] }[] = [];
    for (const companyId of chosen) {
      const { retention } = await findRetention(db, companyId);
      const archived = await archive(db, {
        companyId,
        ...how,
        periods: periodsOf(retention ?? {}),
        now,
        aheadDays: flags.ahead,
        ...(flags.json || !process.stderr.isTTY ? {} : { onPage: showProgress }),
      });
      done.push({ company_id: companyId, archived });
    }
    return done;
  });
}

function asUsageError(error: unknown): never {
  throw error instanceof OtherFormat ? new UsageError(error.message) : error;
}

function showProgress(kind: Kind, rows: number): void {
  process.stderr.write(`\r${kind}: ${rows} rows`.padEnd(50));
}

function describe(companyId: number, { kind, rows, until }: Archived): string {
  return `Company ${companyId}: ${rows} rows of ${kind}, complete until ${until.toISOString()}`;
}
