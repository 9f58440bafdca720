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
  /** Skips what is no line of a journal; returns an empty list if there is no file. */
  read(): Promise<JournalEntry[]>;
  /**
   * The same for a file that an operator names, which may be the wrong one: skips only lines that a crash truncated.
   * @throws Error, a sentence, if the file is missing or has a line that is no line of a journal
   */
  readNamed(): Promise<JournalEntry[]>;
}

/** Every line begins so, since `key` is an entry's first field. */
const BEGINNING = '{"key":"';

export function createJournalFile(path: string): JournalFile {
  let last: Promise<unknown> = Promise.resolve();
  return {
    path,
    append(entries) {
      const written = last.then(() => appendTo(path, entries));
      last = written.catch(() => {});
      return written;
    },
    async read() {
      const lines = await linesOf(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return lines.map(entryOf).filter((entry) => entry !== null);
    },
    readNamed: () => readNamed(path),
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

async function readNamed(path: string): Promise<JournalEntry[]> {
  const lines = await linesOf(path).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'the file does not exist' : cause.message;
    throw new Error(`The journal of erasures ${path} cannot be read: ${reason}`, { cause });
  });
  return lines.flatMap((line, index) => {
    const entry = entryOf(line);
    if (entry !== null) return [entry];
    if (isTruncated(line)) return [];
    throw new Error(`${path} is no journal of erasures: its line ${index + 1} is none of a journal`);
  });
}

/** Without the zeros that some file systems leave after a crash, and the CR of a file that was copied by way of Windows. */
async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').map((line) => line.replaceAll('\0', '').trimEnd());
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

/** Whether the line, which is no entry, is the beginning of one. What follows a truncated line begins a new one, so it may be anywhere. */
function isTruncated(line: string): boolean {
  if (BEGINNING.startsWith(line)) return true;
  return line.startsWith(BEGINNING) && !isJson(line);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
