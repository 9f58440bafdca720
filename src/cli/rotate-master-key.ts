import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { readKeys, withNewKey, writeKeys } from '../access/sealing/keys.ts';
import { type Rotation, resealRest, rotateKeyFile } from '../access/sealing/rotate.ts';
import { parseDuration } from '../duration.ts';
import { settings, withDatabase } from './database.ts';
import { printResult, UsageError, withExample } from './output.ts';

interface Flags {
  dataDir?: string;
  out?: string;
  wait: number;
  json?: boolean;
}

export function rotateMasterKeyCommand(): Command {
  const command = new Command('rotate-master-key')
    .description('Replace the master key, and encrypt every stored secret with the new one.')
    .option('--out <file>', 'where TRADELOOM_MASTER_KEY is set: writes its next value into this new file, and ends')
    .addOption(
      new Option('--wait <duration>', 'how long running programs may need to see the new key file')
        .default(30_000, '30s')
        .argParser(milliseconds),
    )
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(rotate);
  return withExample(command, 'tradeloom rotate-master-key');
}

async function rotate(flags: Flags): Promise<void> {
  const { masterKey: text, dataDir } = settings(flags);
  if (text === null) {
    if (flags.out !== undefined) throw new UsageError('--out is for TRADELOOM_MASTER_KEY, which is not set');
    const rotation = await withDatabase(flags, ({ db }) => rotateKeyFile(db, dataDir, flags.wait));
    const after = 'Copy master.key to where you keep it. The one before opens only backups that were made before.';
    printResult(flags.json, rotation, `${told(rotation)}\n${after}`);
    return;
  }
  const keys = readKeys(text, 'TRADELOOM_MASTER_KEY');
  if (keys.byVersion.size === 1) {
    if (flags.out === undefined) {
      throw new UsageError('TRADELOOM_MASTER_KEY is set: --out <file> says where to write its next value');
    }
    writeFileSync(flags.out, `${writeKeys(withNewKey(keys))}\n`, { flag: 'wx', mode: 0o600, flush: true });
    const next =
      `${flags.out} has the next value of TRADELOOM_MASTER_KEY. Start every program with it, then run ` +
      'tradeloom rotate-master-key with it as well.';
    printResult(flags.json, { out: flags.out }, next);
    return;
  }
  if (flags.out !== undefined)
    throw new UsageError('TRADELOOM_MASTER_KEY already contains a new key. Run the command without --out');
  const resealed = await withDatabase(flags, ({ db }) => resealRest(db, keys));
  const rotation = { version: keys.version, resealed };
  const after =
    `The older key is no longer needed. Keep only ${keys.version}:… and token:… in TRADELOOM_MASTER_KEY. ` +
    'Keep the previous value for older backups.';
  printResult(flags.json, rotation, `${told(rotation)}\n${after}`);
}

function told({ version, resealed }: Rotation): string {
  return `Secrets re-encrypted: ${resealed}. All use version ${version} of the master key`;
}

function milliseconds(text: string): number {
  const duration = parseDuration(text);
  if (duration === null) throw new UsageError(`${text} is not a duration. Use a form such as 30s or 2m`);
  return duration;
}
