import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { loadMasterKey, masterKeyFrom } from '../master-key.ts';
import { provideKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { type Keys, withNewKey, withoutOlder } from './keys.ts';
import { countOlder, resealAll } from './reseal.ts';

export interface Rotation {
  /** Of the key that everything is sealed with now. */
  version: number;
  /** Values that were sealed anew. */
  resealed: number;
}

/** After so many turns something seals with an older key without an end. */
const MOST_TURNS = 20;

/**
 * Replaces the key in the file of the data folder while programs run that read it there: the new one stands beside the old one until
 * nothing is sealed with that any more, and programs have had `waitMs` to end what they sealed before they saw it. Ended in between,
 * the next call goes on with the same key.
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

/** Seals anew whatever is sealed with another key than the first; programs already have all of them. */
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
