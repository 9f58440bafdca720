import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { MasterKey } from '../access/master-key.ts';
import type { ConnectionSettings } from '../db/pool.ts';
import { csvLine } from '../lib/csv/write.ts';
import {
  type Exported,
  type ExportedTable,
  keyFingerprint,
  MANIFEST_FILE,
  MANIFEST_VERSION,
  type Manifest,
} from './manifest.ts';
import { findSchema, findTables, openRows, type Table } from './queries.ts';
import { HIDDEN_COLUMNS, LEFT_OUT } from './tables.ts';

/** Rows that are in memory at a time. */
const PAGE = 200;

/**
 * Writes everything of a company into a folder: a file of JSON Lines and one of CSV for each table, and manifest.json. All of
 * it is of one moment, whatever is written meanwhile. Throws where the folder has files, there is no such company, or rows of before an
 * upgrade are still being counted.
 */
export async function exportCompany(
  connection: ConnectionSettings,
  companyId: number,
  to: { folder: string; masterKey: MasterKey; now: Date },
): Promise<Exported> {
  const { folder, masterKey, now } = to;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: name another folder`);
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(
      "select set_config('tradeloom.company_id', $1, true), set_config('statement_timeout', '0', true)",
      [String(companyId)],
    );
    const { rows: found } = await client.query('select name from companies where company_id = $1', [companyId]);
    if (found.length === 0) throw new Error(`There is no company ${companyId}`);
    // The totals of an export are loaded as they are: they must have all rows.
    const open = await client.query('select from open_count_jobs limit 1');
    if (open.rowCount !== 0) {
      throw new Error(
        'Rows of before an upgrade are still being counted: export once select * from count_jobs has all finished',
      );
    }
    const { text, values } = findTables();
    const tables = (await client.query<Table>(text, values)).rows.filter(({ name }) => LEFT_OUT[name] === undefined);
    const written: ExportedTable[] = [];
    for (const table of tables) written.push(await exportTable(client, companyId, folder, table));
    const exported: Exported = { company_id: companyId, name: found[0].name as string, tables: written };
    const schema = await client.query<{ schema: string; events_added_up_to: string | null }>(findSchema().text);
    const manifest: Manifest = {
      version: MANIFEST_VERSION,
      exported_at: now.toISOString(),
      ...schema.rows[0]!,
      key_fingerprint: keyFingerprint(masterKey),
      ...exported,
    };
    await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return exported;
  } finally {
    await client.end();
  }
}

async function exportTable(
  client: pg.Client,
  companyId: number,
  folder: string,
  { name, columns, key }: Table,
): Promise<ExportedTable> {
  const shown = columns.filter((column) => !HIDDEN_COLUMNS[name]?.includes(column));
  const file = (ending: string): WriteStream => createWriteStream(join(folder, `${name}.${ending}`), { mode: 0o600 });
  const files = { jsonl: file('jsonl'), csv: file('csv') };
  const { text, values } = openRows(companyId, name, shown, key);
  await client.query(text, values);
  await write(files.csv, csvLine(shown));
  let rows = 0;
  for (;;) {
    const page = await client.query<{ json: string }>(`fetch ${PAGE} from exported`);
    if (page.rows.length === 0) break;
    rows += page.rows.length;
    const lines = page.rows.map(({ json }) => json);
    await write(files.jsonl, `${lines.join('\n')}\n`);
    await write(files.csv, lines.map((line) => csvLine(valuesOf(line, shown))).join(''));
  }
  await client.query('close exported');
  await Promise.all([ended(files.jsonl), ended(files.csv)]);
  return { table: name, rows };
}

function valuesOf(line: string, columns: string[]): unknown[] {
  const row = JSON.parse(line) as Record<string, unknown>;
  return columns.map((column) => row[column]);
}

/** Waits while the disk is behind. */
async function write(file: WriteStream, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain');
}

async function ended(file: WriteStream): Promise<void> {
  file.end();
  await once(file, 'close');
}
