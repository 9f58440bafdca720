import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Place } from '../../db/removal.ts';
import type { Kind } from '../kinds.ts';

const compress = promisify(gzip);

/** JSON Lines, or CSV for spreadsheets and tools that load tables. */
export const ARCHIVE_FORMATS = ['jsonl', 'csv'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

/** How far the archive of a kind is. */
export interface KindState {
  format: ArchiveFormat;
  /** The header of each file of CSV, by its name. */
  columns?: Record<string, string[]>;
  /** Rows that ended before this time are in the files; null for none. */
  until: string | null;
  /** A run that is in progress or was interrupted. */
  open: { to: string; place: Place | null } | null;
  /** The size of each file, by name; anything beyond it in a file comes from an interrupted write. */
  files: Record<string, number>;
  rows: number;
}

export type ArchiveState = Partial<Record<Kind, KindState>>;

const STATE = 'archive.json';

/** One company's folder: a file of gzip members for each kind and month, and the state of the archive. */
export interface ArchiveFolder {
  readState(): Promise<ArchiveState>;
  /** Replaces the state as a whole. The data that it describes must already be on disk. */
  writeState(state: ArchiveState): Promise<void>;
  /** Appends a text behind the first `size` bytes of the file; returns its new size. */
  append(name: string, size: number, text: string): Promise<number>;
}

export async function openArchive(folder: string, companyId: number): Promise<ArchiveFolder> {
  const path = join(folder, `company-${companyId}`);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    async readState() {
      const text = await readFile(join(path, STATE), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '{}';
        throw error;
      });
      return JSON.parse(text) as ArchiveState;
    },
    async writeState(state) {
      const draft = join(path, `${STATE}.new`);
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(path, STATE));
    },
    async append(name, size, text) {
      const member = await compress(text);
      const file = await open(join(path, name), size === 0 ? 'w' : 'r+', 0o600);
      try {
        await file.truncate(size);
        await file.write(member, 0, member.length, size);
        await file.sync();
      } finally {
        await file.close();
      }
      return size + member.length;
    },
  };
}
