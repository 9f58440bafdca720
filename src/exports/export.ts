import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { MasterKey } from '../access/master-key.ts';
import type { ConnectionSettings } from '../db/pool.ts';
import { csvLine } from '../lib/csv/write.ts';
import { tableNamed } from '../tables.ts';
import {
  type Exported,
  type ExportedTable,
  keyFingerprint,
  MANIFEST_FILE,
  MANIFEST_VERSION,
  type Manifest,
} from './manifest.ts';
import { findSchema, findTables, openRows, type Table } from './queries.ts';
import type { ZippedFile } from './zip.ts';

/** Rows that are in memory at a time. */
const PAGE = 200;

/** What an export needs in addition to the company. */
export interface ExportOptions {
  masterKey: MasterKey;
  now: Date;
}

/** For callers that pass the files on to a client that may be slow. */
interface Limits {
  /** Milliseconds without a query after which the database ends the connection. */
  idleMs?: number;
  /** Ends the connection, even while the export waits for rows. */
  signal?: AbortSignal;
}

/**
 * Exports everything of a company: for each table a JSON Lines file and a CSV file, and manifest.json last. All files show one snapshot,
 * whatever is written in the meantime. Read each file to its end before requesting the next one. Throws if the company does not exist.
 * See docs/design/exports.md.
 */
export async function* exportedFiles(
  connection: ConnectionSettings,
  companyId: number,
  { masterKey, now, idleMs = 0, signal }: ExportOptions & Limits,
): AsyncGenerator<ZippedFile, Exported> {
  const client = new pg.Client(connection);
  // The query for the next rows fails then, so the event itself needs no handling.
  client.on('error', () => {});
  const end = (): Promise<void> => client.end();
  await client.connect();
  signal?.addEventListener('abort', end, { once: true });
  try {
    const exported = await begin(client, companyId, idleMs);
    const { text, values } = findTables();
    const tables = (await client.query<Table>(text, values)).rows.filter(
      ({ name }) => typeof tableNamed(name).export !== 'object',
    );
    for (const { name, columns, key } of tables) {
      const omitted = tableNamed(name).notExported ?? [];
      const shown = columns.filter((column) => !omitted.includes(column));
      const table: ExportedTable = { table: name, rows: 0 };
      exported.tables.push(table);
      const rows = () => rowsOf(client, openRows(companyId, name, shown, key));
      yield { name: `${name}.jsonl`, pieces: linesOf(rows(), table) };
      yield { name: `${name}.csv`, pieces: csvOf(rows(), shown) };
    }
    const schema = await client.query<{ schema: string; events_added_up_to: string | null }>(findSchema().text);
    const manifest: Manifest = {
      version: MANIFEST_VERSION,
      exported_at: now.toISOString(),
      ...schema.rows[0]!,
      key_fingerprint: keyFingerprint(masterKey),
      ...exported,
    };
    yield { name: MANIFEST_FILE, pieces: onePiece(`${JSON.stringify(manifest, null, 2)}\n`) };
    return exported;
  } finally {
    signal?.removeEventListener('abort', end);
    await end();
  }
}

/** Writes the files of an export into a folder. Throws if the folder is not empty. */
export async function exportCompany(
  connection: ConnectionSettings,
  companyId: number,
  { folder, ...options }: ExportOptions & { folder: string },
): Promise<Exported> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: name another folder`);
  await using files = exportedFiles(connection, companyId, options);
  for (;;) {
    const next = await files.next();
    if (next.done === true) return next.value;
    const file = createWriteStream(join(folder, next.value.name), { mode: 0o600 });
    for await (const piece of next.value.pieces) await write(file, piece);
    file.end();
    await once(file, 'close');
  }
}

async function begin(client: pg.Client, companyId: number, idleMs: number): Promise<Exported> {
  await client.query('begin isolation level repeatable read read only');
  await client.query(
    `select set_config('tradeloom.company_id', $1, true), set_config('statement_timeout', '0', true),
       set_config('idle_in_transaction_session_timeout', $2, true)`,
    [String(companyId), String(idleMs)],
  );
  const { rows } = await client.query<{ name: string }>('select name from companies where company_id = $1', [
    companyId,
  ]);
  if (rows.length === 0) throw new Error(`There is no company ${companyId}`);
  return { company_id: companyId, name: rows[0]!.name, tables: [] };
}

/** Yields pages of rows, as JSON texts. */
async function* rowsOf(client: pg.Client, { text, values }: ReturnType<typeof openRows>): AsyncGenerator<string[]> {
  await client.query(text, values);
  for (;;) {
    const page = await client.query<{ json: string }>(`fetch ${PAGE} from exported`);
    if (page.rows.length === 0) break;
    yield page.rows.map(({ json }) => json);
  }
  await client.query('close exported');
}

async function* linesOf(pages: AsyncIterable<string[]>, table: ExportedTable): AsyncGenerator<string> {
  for await (const page of pages) {
    table.rows += page.length;
    yield `${page.join('\n')}\n`;
  }
}

async function* csvOf(pages: AsyncIterable<string[]>, columns: string[]): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const page of pages) yield page.map((line) => csvLine(valuesOf(line, columns))).join('');
}

function valuesOf(line: string, columns: string[]): unknown[] {
  const row = JSON.parse(line) as Record<string, unknown>;
  return columns.map((column) => row[column]);
}

async function* onePiece(text: string): AsyncGenerator<string> {
  yield text;
}

/** Waits until the disk catches up. */
async function write(file: WriteStream, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain');
}
