import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { monotonicMs, systemClock } from '../../clock.ts';
import { noteBackup } from '../../db/backup/last-backup.ts';
import { streamBackup, type WrittenBackup, writeBackup } from '../../db/backup/write-backup.ts';
import { settings, withConnection } from '../database.ts';
import { printResult, UsageError, withExample } from '../output.ts';
import { megabytes, progressBar } from './progress.ts';

interface Flags {
  dataDir?: string;
  json?: boolean;
  maxRate?: string;
}

/** In megabytes per second; PostgreSQL's own limits. */
const RATES = { min: 1, max: 1024 };

export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Back up the embedded database to a file, while the server runs.')
    .argument(
      '[file]',
      'a new file (.tar.zst, .tar.gz or .tar), a folder, or - for standard output (the current folder)',
    )
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--max-rate <megabytes>', 'maximum read rate in megabytes per second')
    .option('--json', 'print the result as JSON')
    .action(async (file: string | undefined, flags: Flags) => {
      const maxRate = rateOf(flags.maxRate);
      const config = settings(flags);
      if (config.databaseUrl !== null) {
        throw new UsageError(
          'tradeloom backup works with the embedded database only. Back up the server of DATABASE_URL with pg_dump or pg_basebackup ' +
            '(docs/operations.md)',
        );
      }
      const startedAt = systemClock.now();
      const begun = monotonicMs();
      const path = file === '-' ? null : await pathOf(file, startedAt);
      const bar = progressBar('Backup');
      const written = await withConnection(config, async (connection, { signal }) => {
        const options = { maxRate, onProgress: bar.show, signal };
        const made = await (path === null
          ? streamBackup(connection, process.stdout, 'zstd', options)
          : writeBackup(connection, path, options));
        await noteBackup(connection, startedAt);
        return made;
      }).finally(bar.end);
      const result = { file: path, started_at: startedAt, seconds: (monotonicMs() - begun) / 1_000, ...written };
      // Standard output carries the backup itself.
      if (path === null) process.stderr.write(`${flags.json ? JSON.stringify(result) : describe(result)}\n`);
      else printResult(flags.json, result, describe(result));
    });
  return withExample(command, 'tradeloom backup /mnt/backups --json');
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= RATES.min && rate <= RATES.max) return rate;
  throw new UsageError(`--max-rate takes megabytes per second, ${RATES.min} to ${RATES.max}`);
}

async function pathOf(given: string | undefined, now: Date): Promise<string> {
  const path = resolve(given ?? '.');
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) {
    const moment = now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
    return pathOf(join(path, `tradeloom-${moment}.tar.zst`), now);
  }
  if (found !== null) throw new UsageError(`${path} already exists. Name a new file`);
  if (!/\.(tar|tgz|tar\.gz|tar\.zst)$/.test(path)) {
    throw new UsageError(`The name of the file must end in .tar.zst, .tar.gz or .tar: ${path}`);
  }
  return path;
}

function describe({
  file,
  bytes,
  seconds,
  first_wal,
}: WrittenBackup & { file: string | null; seconds: number }): string {
  return [
    `${file ?? 'The backup'}: ${megabytes(bytes)} in ${seconds.toFixed(1)} s.`,
    `It contains everything committed before it ended. Point-in-time recovery needs the WAL from ${first_wal} on.`,
    'It does not contain the master key. Keep data/master.key, or TRADELOOM_MASTER_KEY, in another place.',
  ].join('\n');
}
