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
    .description('Restore the embedded database of a data folder from a backup. Sending is held until you confirm it.')
    .argument('<file>', 'a file that `tradeloom backup` wrote')
    .option('--data-dir <folder>', 'data folder without a database (TRADELOOM_DATA_DIR, ./data)')
    .option('--master-key <file>', "copy the installation's master key from this file (master.key in the data folder)")
    .option(
      '--no-master-key',
      'restore without it: stored secrets stay sealed, and a start needs TRADELOOM_WITHOUT_SECRETS=1',
    )
    .option('--erasures <file>', 'newest journal of erasures (TRADELOOM_ERASURE_LOG, erasures.log in the data folder)')
    .option('--wal <folder>', 'WAL archive, to recover changes made after the backup (TRADELOOM_WAL_ARCHIVE)')
    .option('--until <time>', 'recover changes committed until this time, such as 2026-05-01T12:00:00Z')
    .option('--check', 'only verify the checksums of the backup')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, flags: Flags) => {
      if (flags.check) return check(resolve(file), flags);
      const config = settings(flags);
      if (config.databaseUrl !== null) {
        throw new UsageError(
          'tradeloom restore works with the embedded database only. Unset DATABASE_URL (docs/operations.md)',
        );
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
            if (process.stderr.isTTY) process.stderr.write('PostgreSQL is replaying the WAL…\n');
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
          `The database is restored, but the erasures were not repeated (${cause.message}). Run \`tradeloom erasures replay ` +
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
  if (archive === null) throw new UsageError('--until requires a WAL archive (--wal)');
  const until = new Date(flags.until);
  // A time without its zone would mean another time on another machine.
  if (Number.isNaN(until.getTime()) || !/(Z|[+-]\d\d:?\d\d)$/.test(flags.until)) {
    throw new UsageError('--until requires a time with a time zone, such as 2026-05-01T12:00:00Z');
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
    `${result.data_dir} contains the restored database: ${result.files} files, ${megabytes(result.bytes)}, all checksums ` +
      `verified, in ${result.seconds.toFixed(1)} s.`,
    `${result.erasures_replayed} erasures from the journal were repeated.`,
  ];
  if (result.closed_secrets > 0) {
    lines.push(`The secrets of ${result.closed_secrets} companies cannot be decrypted with this master key.`);
  }
  if (result.sending_held) {
    lines.push('Sending is held. Check `tradeloom sending status`, then run `tradeloom sending confirm`.');
  }
  return lines.join('\n');
}
