import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SuppressionEntry } from '../messaging/suppressions/suppressions.ts';

/**
 * An erasure as a line of the file beside the database: a backup that is restored knows nothing of erasures since it was made. Holds
 * ids and keyed hashes, nothing of the person.
 */
export interface JournalEntry {
  key: string;
  at: string;
  company_id: number;
  customer_id: number | null;
  contact_ids: number[];
  /** Addresses that must not be written to. */
  suppressed: SuppressionEntry[];
}

export interface JournalFile {
  readonly path: string;
  /** On disk when it returns. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Without lines that a crash cut off; none where there is no file. */
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
    // In one write, which no other process comes between; behind a line that was cut off, on a line of its own.
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

/** Null for an empty line, and one that a crash cut off. */
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
