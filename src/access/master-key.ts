import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyFileReader, provideKeyFile } from './sealing/key-file.ts';
import { type Keys, readKeys } from './sealing/keys.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret was sealed with a master key that is not set here. */
export class NotOpened extends Error {}

/** Encrypts secrets at rest; the key itself is never in the database. */
export interface MasterKey {
  /** AES-256-GCM: key version, nonce, tag, ciphertext. */
  seal(secret: string): Buffer;
  /** Throws NotOpened when the ciphertext was made with another key. */
  open(sealed: Buffer): string;
  /** 32 bytes for keyed hashes (tokens of public links), not the key itself. */
  readonly tokenKey: Buffer;
}

/**
 * Loads the master key from TRADELOOM_MASTER_KEY (see `readKeys`) or from `<dataDir>/master.key`, which is created on the first start. A
 * key file that others can read is refused. After `tradeloom rotate-master-key` replaces the key in the file, this object seals with the
 * new one.
 */
export function loadMasterKey(dataDir: string, fromEnvironment: string | null): MasterKey {
  if (fromEnvironment === null) return masterKeyFrom(keyFileReader(provideKeyFile(dataDir)));
  const keys = readKeys(fromEnvironment, 'TRADELOOM_MASTER_KEY');
  return masterKeyFrom(() => keys);
}

export function masterKeyFrom(read: (fresh: boolean) => Keys): MasterKey {
  // Old keys are kept while the program runs: a secret read before it was sealed again may still be in memory.
  const known = new Map(read(false).byVersion);
  function current(): Keys {
    const keys = read(true);
    for (const [version, key] of keys.byVersion) known.set(version, key);
    return keys;
  }
  return {
    seal(secret) {
      const { version } = current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', known.get(version)!, nonce);
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      const version = sealed[0]!;
      if (!known.has(version)) current();
      const key = known.get(version);
      if (key === undefined) {
        throw new NotOpened(`A secret was sealed with version ${version} of the master key, which is not set here`);
      }
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce);
      decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([
          decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)),
          decipher.final(),
        ]).toString('utf8');
      } catch (cause) {
        throw new NotOpened('A secret does not open with this master key: is the right one set?', { cause });
      }
    },
    tokenKey: read(false).tokenKey,
  };
}
