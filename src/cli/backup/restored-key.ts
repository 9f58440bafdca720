import { existsSync, readFileSync } from 'node:fs';
import { createKeyFile, keyFileOf, provideKeyFile, readKeyFile } from '../../access/sealing/key-file.ts';
import { readKeys } from '../../access/sealing/keys.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../output.ts';

/**
 * Checks the master key that a restored database is to be used with, before anything is written. Without one, the first start would
 * create a new key, which decrypts nothing.
 * @param given the file that the operator names; false to go on without a key
 * @returns puts the key in place, where it is not yet
 * @throws Error that says what is wrong with the key. A key that is in place is never replaced by another.
 */
export function checkMasterKey(
  { dataDir, masterKey }: Readonly<Config>,
  given: string | false | undefined,
): () => void {
  if (masterKey !== null || given === false) return () => {};
  const path = keyFileOf(dataDir);
  if (given === undefined && !existsSync(path)) {
    throw new UsageError(
      `A backup does not contain the master key, and ${path} does not exist. Name the key file with --master-key, set ` +
        'TRADELOOM_MASTER_KEY, or use --no-master-key',
    );
  }
  const text = given === undefined ? undefined : readGiven(given);
  if (!existsSync(path)) return () => createKeyFile(path, text!);
  if (text !== undefined && readFileSync(path, 'utf8').trim() !== text) {
    throw new Error(
      `${path} already exists and differs from the key in ${given}. Move it away, or choose another data folder with --data-dir`,
    );
  }
  readKeyFile(provideKeyFile(dataDir));
  return () => {};
}

function readGiven(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the file does not exist' : message;
    throw new Error(`The master key cannot be read from ${path}: ${reason}`, { cause });
  }
  readKeys(text, `The master key in ${path}`);
  return text;
}
