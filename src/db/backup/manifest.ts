import { createHash } from 'node:crypto';

/** A file as it was read from an archive. */
export interface SeenFile {
  size: number;
  /** SHA-256, in hexadecimal. */
  checksum: string;
}

interface Manifest {
  Files: { Path?: string; Size: number; 'Checksum-Algorithm': string; Checksum: string }[];
  'Manifest-Checksum': string;
}

/** Files that the server writes into the archive but does not list in its manifest: WAL has checksums of its own. */
const UNLISTED = /^pg_wal\//;

/**
 * Compares the files of an archive with the manifest that PostgreSQL wrote.
 * @throws Error that names the first file that differs, is missing or does not belong
 */
export function compareWithManifest(text: Buffer, seen: ReadonlyMap<string, SeenFile>): void {
  const manifest = parse(text);
  const listed = new Set<string>();
  for (const file of manifest.Files) {
    const path = file.Path ?? '';
    listed.add(path);
    const found = seen.get(path);
    if (found === undefined) throw damaged(`${path || 'a file'} is missing`);
    if (file['Checksum-Algorithm'] !== 'SHA256') throw damaged(`${path} has no SHA-256 checksum`);
    if (found.size !== file.Size || found.checksum !== file.Checksum) throw damaged(`${path} is not as it was written`);
  }
  for (const path of seen.keys()) {
    if (!listed.has(path) && !UNLISTED.test(path)) throw damaged(`${path} does not belong to it`);
  }
}

/** The manifest's last line is the checksum of all lines before it. */
function parse(text: Buffer): Manifest {
  const last = text.lastIndexOf('\n', text.length - 2) + 1;
  const checksum = createHash('sha256').update(text.subarray(0, last)).digest('hex');
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text.toString('utf8')) as Manifest;
  } catch (cause) {
    throw new Error('The backup is damaged: its manifest cannot be read', { cause });
  }
  if (manifest['Manifest-Checksum'] !== checksum) throw damaged('its manifest is not as it was written');
  return manifest;
}

function damaged(what: string): Error {
  return new Error(`The backup is damaged: ${what}`);
}
