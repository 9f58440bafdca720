import { resolve } from 'node:path';
import { Command } from 'commander';
import { monotonicMs, systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { readBackup } from '../../db/backup/read-backup.ts';
import { restoreEmbedded } from '../../db/embedded/restore.ts';
import { secrets } from '../../doctor/checks.ts';
import type { JournalEntry } from '../../erasure/journal-file.ts';
import { findHold } from '../../installation.ts';
import { holdIfMoved } from '../../messaging/service.ts';
import { settings, type Workplace, withDatabase } from '../database.ts';
import { journalEntries, replayIn } from '../erasures.ts';
import { printResult, UsageError, withExample } from '../output.ts';
import { interruptible } from '../signals/interruption.ts';
import { megabytes, progressBar } from './progress.ts';
import { checkMasterKey } from './restored-key.ts';

interface Flags {
  dataDir?: string;
  json?: boolean;
  check?: boolean;
  masterKey?: string | false;
  erasures?: string;
  wal?: string;
  until?: string;
}

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description(
      'Make the embedded database of a data folder from a backup. Nothing is sent from it before you confirm.',
    )
    .argument('<file>', 'what `tradeloom backup` wrote')
    .option('--data-dir <folder>', 'data folder that holds no database (TRADELOOM_DATA_DIR, ./data)')
    .option('--master-key <file>', "copy the installation's master key from this file (master.key in the data folder)")
    .option(
      '--no-master-key',
      'go on without: stored secrets stay closed, and a start needs TRADELOOM_WITHOUT_SECRETS=1',
    )
    .option('--erasures <file>', 'newest journal of erasures (TRADELOOM_ERASURE_LOG, erasures.log in the data folder)')
    .option(
      '--wal <folder>',
      'archive of the log of transactions, to recover what came after the backup (TRADELOOM_WAL_ARCHIVE)',
    )
    .option('--until <time>', 'recover from the archive what was committed until then, such as 2026-05-01T12:00:00Z')
    .option('--check', 'only compare the backup with its checksums')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, flags: Flags) => {
      if (flags.check) return check(resolve(file), flags);
      const config = settings(flags);
      if (config.databaseUrl !== null) {
        throw new UsageError('tradeloom restore is for the embedded database: unset DATABASE_URL (docs/operations.md)');
      }
      const begun = monotonicMs();
      const recovery = recoveryOf(config, flags);
      const erased = await journalEntries(config, flags.erasures);
      const placeMasterKey = checkMasterKey(config, flags.masterKey);
      const bar = progressBar('Restore');
      const read = await interruptible(async ({ signal, before }) => {
        const restoring = restoreEmbedded({
          ...recovery,
          dataDir: config.dataDir,
          backup: resolve(file),
          onProgress: bar.show,
          onRecovery: () => {
            bar.end();
            if (process.stderr.isTTY) process.stderr.write('PostgreSQL goes through its log of transactions…\n');
          },
          onRecovered: placeMasterKey,
          signal,
        });
        // It stops its server and removes what it has written.
        before(() => restoring.catch(() => {}));
        return restoring;
      }).finally(bar.end);
      const after = await withDatabase(flags, (place) => settle(place, erased)).catch((cause: Error) => {
        const file = flags.erasures === undefined ? '' : `${resolve(flags.erasures)} `;
        throw new Error(
          `The database is restored, but what follows has failed (${cause.message}): run \`tradeloom erasures replay ` +
            `${file}--data-dir ${config.dataDir}\` before you start the program`,
          { cause },
        );
      });
      const seconds = (monotonicMs() - begun) / 1_000;
      const result = { data_dir: config.dataDir, ...read, seconds, ...after };
      printResult(flags.json, result, describe(result));
      if (after.closed_secrets > 0) process.exitCode = 1;
    });
  return withExample(
    command,
    'tradeloom restore /mnt/backups/tradeloom-20260501T120000Z.tar.zst --data-dir ./restored',
  );
}

async function check(file: string, flags: Flags): Promise<void> {
  const bar = progressBar('Check');
  const read = await readBackup(file, { folder: null, onProgress: bar.show }).finally(bar.end);
  const text = `${file} is complete: ${read.files} files, ${megabytes(read.bytes)}, each as it was written.`;
  printResult(flags.json, { file, ...read }, text);
}

function recoveryOf(config: Readonly<Config>, flags: Flags): { archive: string | null; until: Date | null } {
  const archive = flags.wal === undefined ? config.walArchive : resolve(flags.wal);
  if (flags.until === undefined) return { archive, until: null };
  if (archive === null) throw new UsageError('--until needs an archive of the log of transactions: --wal');
  const until = new Date(flags.until);
  // A time without its zone would mean another time on another machine.
  if (Number.isNaN(until.getTime()) || !/(Z|[+-]\d\d:?\d\d)$/.test(flags.until)) {
    throw new UsageError('--until takes a time with its zone, such as 2026-05-01T12:00:00Z');
  }
  return { archive, until };
}

/** Settles what must be known before anybody starts the program on it. */
async function settle(place: Workplace, erased: readonly JournalEntry[]) {
  const { db, config } = place;
  await holdIfMoved({ db, config, now: systemClock.now() });
  const replayed = await replayIn(place, erased);
  const { violations } = await secrets(config, db);
  return { sending_held: (await findHold(db)) !== null, erasures_replayed: replayed, closed_secrets: violations };
}

interface Result extends Awaited<ReturnType<typeof settle>> {
  data_dir: string;
  files: number;
  bytes: number;
  seconds: number;
}

function describe(result: Result): string {
  const lines = [
    `${result.data_dir} has the database of the backup: ${result.files} files, ${megabytes(result.bytes)}, each as it was ` +
      `written, in ${result.seconds.toFixed(1)} s.`,
    `${result.erasures_replayed} erasures that the journal knows and the backup did not were repeated.`,
  ];
  if (result.closed_secrets > 0) {
    lines.push(`The secrets of ${result.closed_secrets} companies do not open with this master key.`);
  }
  if (result.sending_held) {
    lines.push('Nothing is sent from it until `tradeloom sending confirm`. Look first: `tradeloom sending status`.');
  }
  return lines.join('\n');
}
