import { hkdfSync, randomBytes } from 'node:crypto';

/** The keys that seal secrets, and the key for links and keyed hashes. */
export interface Keys {
  /** Version of the key that seals. Each sealed secret contains the version it was sealed with. */
  version: number;
  /** By version; several while secrets are being sealed with a new key. */
  byVersion: ReadonlyMap<number, Buffer>;
  /** Unchanged when the master key is replaced: links in sent e-mails and the hashes of unsubscribed addresses depend on it. */
  tokenKey: Buffer;
}

/** A version is one byte of each sealed secret. */
const LAST_VERSION = 255;

/**
 * Parses a stored master key: 32 bytes in base64 or, once it has been replaced, `2:<base64>,token:<base64>`, followed by older keys while
 * secrets are still sealed with them. @throws Error that names `where` the text is
 */
export function readKeys(text: string, where: string): Keys {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length <= 1 && !text.includes(':')) {
    const key = decode(text.trim(), where);
    const tokenKey = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'tradeloom public tokens', 32));
    return { version: 1, byVersion: new Map([[1, key]]), tokenKey };
  }
  const named = parts.map((part): [string, Buffer] => {
    const at = part.indexOf(':');
    return [part.slice(0, at), decode(part.slice(at + 1), where)];
  });
  const tokenKey = named.find(([name]) => name === 'token')?.[1];
  const keys = named.filter(([name]) => name !== 'token').map(([name, key]): [number, Buffer] => [Number(name), key]);
  const [newest] = keys;
  const isSound = keys.every(([version]) => Number.isInteger(version) && version >= 1 && version <= LAST_VERSION);
  if (tokenKey === undefined || newest === undefined || !isSound) {
    throw new Error(`${where} is no master key as tradeloom rotate-master-key writes it`);
  }
  return { version: newest[0], byVersion: new Map(keys), tokenKey };
}

export function writeKeys({ version, byVersion, tokenKey }: Keys): string {
  const older = [...byVersion].filter(([one]) => one !== version);
  const named = [[version, byVersion.get(version)!] as const, ['token', tokenKey] as const, ...older];
  return named.map(([name, key]) => `${name}:${key.toString('base64')}`).join(',');
}

/** Adds a new key that seals from now on; older ones are kept for what they have sealed. */
export function withNewKey(keys: Keys): Keys {
  const version = keys.version + 1;
  if (version > LAST_VERSION) throw new Error(`A master key can be replaced ${LAST_VERSION - 1} times`);
  return { ...keys, version, byVersion: new Map([[version, randomBytes(32)], ...keys.byVersion]) };
}

/** Removes the older keys, once nothing is sealed with them. */
export function withoutOlder(keys: Keys): Keys {
  return { ...keys, byVersion: new Map([[keys.version, keys.byVersion.get(keys.version)!]]) };
}

function decode(text: string, where: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || new Set(key).size < 8) throw new Error(`${where} must be 32 random bytes in base64`);
  return key;
}
