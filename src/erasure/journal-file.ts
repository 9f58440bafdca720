import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SuppressionEntry } from '../messaging/suppressions/suppressions.ts';

/**
 * An erasure as a line of the journal file. The file is kept outside of the database because a restored backup lacks later erasures.
 * Contains ids and keyed hashes, no personal data.
 */
export interface JournalEntry {
  key: string;
  at: string;
  company_id: number;
  customer_id: number | null;
  contact_ids: number[];
  /** Suppressed addresses, as keyed hashes. */
  suppressed: SuppressionEntry[];
}

export interface JournalFile {
  readonly path: string;
  /** When it returns, the lines are on disk. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Skips lines that a crash truncated; returns an empty list if there is no file. */
  read(): Promise<JournalEntry[]>;
}

export function createJournalFile(path: string): JournalFile {
  let last: Promise<unknown> = Promise.resolve();
  return {
    path,
    append(entries) {
      const written = last.then(() => appendTo(path, entries));
      last = written.catch(() => {});
      return written;
    },
    read: () => readFrom(path),
  };
}

async function appendTo(path: string, entries: readonly JournalEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const end = size === 0 ? '\n' : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString('latin1');
    // One write, so that lines of other processes do not interleave. After a truncated line, starts a new one.
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await file.appendFile(end === '\n' ? lines : `\n${lines}`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readFrom(path: string): Promise<JournalEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    const entry = entryOf(line);
    return entry === null ? [] : [entry];
  });
}

/** Null for an empty line, and for one that a crash truncated. */
function entryOf(line: string): JournalEntry | null {
  if (!line.startsWith('{') || !line.endsWith('}')) return null;
  try {
    const entry = JSON.parse(line) as JournalEntry;
    return typeof entry.key === 'string' && Array.isArray(entry.contact_ids) ? entry : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
