import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets at rest; never in the database itself. */
export interface MasterKey {
  /** AES-256-GCM: version byte, nonce, tag, ciphertext. */
  seal(secret: string): Buffer;
  /** Throws when the ciphertext was made with another key. */
  open(sealed: Buffer): string;
  /** 32 bytes for keyed hashes (tokens of public links), not the key itself. */
  readonly tokenKey: Buffer;
}

/**
 * The master key from TRADELOOM_MASTER_KEY (32 bytes in base64) or from `<dataDir>/master.key`, which is made on the first
 * start. A key file that others can read is refused.
 */
export function loadMasterKey(dataDir: string, fromEnvironment: string | null): MasterKey {
  if (fromEnvironment !== null) return masterKeyOf(decode(fromEnvironment, 'TRADELOOM_MASTER_KEY'));
  const path = join(dataDir, 'master.key');
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    // Written aside and then named: a start that is killed here leaves no half key, and of two programs the first wins.
    const fresh = `${path}.${randomBytes(6).toString('hex')}`;
    // By its descriptor, not by its name: what is behind that the folder's owner could change meanwhile.
    const file = openSync(fresh, 'wx', 0o600);
    try {
      writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { flush: true });
      fchmodSync(file, 0o600);
      // What root makes in somebody's folder is theirs: they start the next time.
      const { uid, gid } = statSync(dataDir);
      if (process.geteuid?.() === 0) fchownSync(file, uid, gid);
    } finally {
      closeSync(file);
    }
    try {
      linkSync(fresh, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(fresh);
    }
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others: run chmod 600 on it`);
  }
  return masterKeyOf(decode(readFileSync(path, 'utf8').trim(), path));
}

export function masterKeyOf(key: Buffer): MasterKey {
  return {
    seal(secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      if (sealed[0] !== VERSION) throw new Error('A secret was encrypted by a newer program');
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce);
      decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([
          decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)),
          decipher.final(),
        ]).toString('utf8');
      } catch (cause) {
        throw new Error('A secret does not open with this master key: is the right one set?', { cause });
      }
    },
    tokenKey: Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'tradeloom public tokens', 32)),
  };
}

function decode(text: string, where: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || new Set(key).size < 8) throw new Error(`${where} must be 32 random bytes in base64`);
  return key;
}
