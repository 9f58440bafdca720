import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { loadMasterKey, masterKeyFrom } from '../master-key.ts';
import { provideKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { type Keys, withNewKey, withoutOlder } from './keys.ts';
import { countOlder, resealAll } from './reseal.ts';

export interface Rotation {
  /** Version of the key that now seals everything. */
  version: number;
  /** Values sealed again. */
  resealed: number;
}

/** After this many rounds, some program must still be sealing with an older key. */
const MOST_TURNS = 20;

/**
 * Replaces the key in the data folder's file while programs that read it there are running. Both keys stay in the file until nothing is
 * sealed with the old one and programs have had `waitMs` to finish what they sealed before they saw the new one. If interrupted, the next
 * call continues with the same key.
 * See docs/design/secrets.md.
 */
export async function rotateKeyFile(db: Db, dataDir: string, waitMs: number): Promise<Rotation> {
  const path = provideKeyFile(dataDir);
  if (readKeyFile(path).byVersion.size === 1) replaceKeyFile(path, withNewKey(readKeyFile(path)));
  const keys = readKeyFile(path);
  const begun = statSync(path).mtimeMs;
  const masterKey = loadMasterKey(dataDir, null);
  let resealed = await resealAll(db, masterKey, keys.version);
  await sleep(Math.min(waitMs, Math.max(0, begun + waitMs - systemClock.now().getTime())));
  resealed += await resealRest(db, keys);
  replaceKeyFile(path, withoutOlder(keys));
  return { version: keys.version, resealed };
}

/** Seals again everything sealed with another key than the first; all programs must already have all keys. */
export async function resealRest(db: Db, keys: Keys): Promise<number> {
  const masterKey = masterKeyFrom(() => keys);
  let resealed = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    resealed += await resealAll(db, masterKey, keys.version);
    if ((await countOlder(db, masterKey, keys.version)) === 0) return resealed;
    await sleep(500);
  }
  throw new Error('Some program still seals secrets with an older master key: restart all of them and try again');
}
