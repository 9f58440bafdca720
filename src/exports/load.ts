import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { MasterKey } from '../access/master-key.ts';
import { equipCompanyIn } from '../access/service.ts';
import { newWebhookSecret } from '../access/webhook-secrets.ts';
import { newWebhookToken, sealSecrets } from '../commerce/payments/accounts/account.ts';
import type { Db, Tx } from '../db/pool.ts';
import { holdSending } from '../installation.ts';
import { newPublicId } from '../marketing/forms/public-id.ts';
import { TABLES, tableNamed } from '../tables.ts';
import { loadEventTotals } from './load-event-totals.ts';
import * as queries from './load-queries.ts';
import { type Exported, keyFingerprint, type Manifest, readManifest } from './manifest.ts';
import { findSchema, findTables, type Table } from './queries.ts';

/** Characters of rows that one statement inserts; a row that is longer goes alone. */
const BATCH_CHARS = 1_000_000;
const LOADED_ENDPOINT = 'Loaded from an export without its secret: make a new one before you activate it';

/** Statement timeout: as long as a batch of a large table needs. */
const LIMIT_MS = 600_000;

/** Where the export is, and how to load it. */
export interface Source {
  folder: string;
  masterKey: MasterKey;
  now: Date;
  /** Whether to hold all sending of the installation from the moment the company exists. */
  holdSending: boolean;
}

export interface Loaded extends Exported {
  /** For incoming webhooks; shown only this once. */
  webhook_secret: string;
}

/**
 * Creates a company from an export: everything in one transaction, with the original ids. The company keeps its own id as well, unless
 * another company here has it. Secrets are created anew. Throws if the export is incomplete or was made by a newer version or with another
 * master key.
 */
export async function loadCompany(db: Db, from: Source): Promise<Loaded> {
  const manifest = await readManifest(from.folder);
  if (manifest.key_fingerprint !== keyFingerprint(from.masterKey)) {
    throw new Error(
      'The export was made with another master key, so unsubscribed addresses could not be recognised. Set TRADELOOM_MASTER_KEY to that key',
    );
  }
  return db.tx(async (tx) => {
    await tx.limitStatements(LIMIT_MS);
    return load(tx, manifest, from);
  });
}

async function load(tx: Tx, manifest: Manifest, source: Source): Promise<Loaded> {
  const { folder, masterKey, now } = source;
  const [here] = await tx.query<{ schema: string }>(findSchema());
  if (manifest.schema > here!.schema)
    throw new Error(`The export was made by a newer program (${manifest.schema}): this one knows ${here!.schema}`);
  const known = new Map((await tx.query<Table>(findTables())).map((table) => [table.name, table]));
  const [companyRow] = await firstBatch(folder, 'companies');
  if (companyRow === undefined) throw new Error('companies.jsonl is empty: the export is incomplete');
  const [company] = await tx.query<{ company_id: number }>(queries.insertCompany(companyRow));
  const companyId = company!.company_id;
  const tables: Exported['tables'] = [];
  for (const table of inOrder(manifest, known)) {
    if (table.name === 'events') await makeMonths(tx, folder);
    if (isFilledByTriggers(table.name)) await tx.query(queries.removeRows(companyId, table.name));
    const rows = await loadTable(tx, companyId, { folder, table, masterKey });
    const told = manifest.tables.find((one) => one.table === table.name)!.rows;
    if (rows !== told)
      throw new Error(`${table.name}.jsonl has ${rows} rows instead of ${told}: the export is incomplete`);
    tables.push({ table: table.name, rows });
  }
  await tx.query(queries.goThroughActivity(companyId));
  // Taken as late as possible: merges and erasures of all companies wait for this lock.
  const [held] = await tx.query<{ until: string | null }>(queries.holdEventTotals());
  await loadEventTotals(tx, companyId, { of: manifest.events_added_up_to, here: held!.until });
  const names = tables.map(({ table }) => table);
  for (const one of [...(await tx.query<Numbered>(queries.findSequences(names))), ...SEQUENCES])
    await tx.query(queries.raiseSequence(companyId, one));
  await tx.query(queries.raiseSequence(companyId, COMPANIES, 0));
  const details = { name: manifest.name, exported_at: manifest.exported_at, company_id: manifest.company_id };
  const secret = await equipCompanyIn(tx, companyId, { now, masterKey, action: 'company.load', details });
  if (source.holdSending) await holdSending(tx, now, 'loaded');
  return { company_id: companyId, name: manifest.name, tables, webhook_secret: secret };
}

const COMPANIES = { sequence: 'companies_company_id_seq', table: 'companies', column: 'company_id' };

interface Numbered {
  sequence: string;
  table: string;
  column: string;
}

/** Sequences that no identity column owns. */
const SEQUENCES: readonly Numbered[] = TABLES.flatMap(({ name: table, sequences = {} }) =>
  Object.entries(sequences).map(([column, sequence]) => ({ sequence, table, column })),
);

function isFilledByTriggers(name: string): boolean {
  const { export: exported, filledByTriggers } = tableNamed(name);
  return exported === 'totals' || filledByTriggers === true;
}

/** Returns the number of rows. */
async function loadTable(
  tx: Tx,
  companyId: number,
  { folder, table, masterKey }: { folder: string; table: Table; masterKey: MasterKey },
): Promise<number> {
  let count = 0;
  for await (const batch of batchesOf(folder, table.name)) {
    const rows = await amended(tx, table.name, batch, masterKey);
    const given = Object.keys(JSON.parse(rows[0]!) as object).filter((column) => !table.generated.includes(column));
    const unknown = given.filter((column) => !table.columns.includes(column));
    if (unknown.length > 0) throw new Error(`${table.name} has no column ${unknown.join(', ')} here`);
    await tx.query(queries.insertRows(companyId, table, given, `[${rows.join(',')}]`));
    count += rows.length;
  }
  return count;
}

/** Orders tables after those that they reference, and totals last. Throws if a table is unknown here. */
function inOrder(manifest: Manifest, known: Map<string, Table>): Table[] {
  const ordered = new Map<string, Table>();
  const add = (name: string): void => {
    const table = known.get(name);
    if (table === undefined || ordered.has(name)) return;
    for (const parent of table.parents) add(parent);
    ordered.set(name, table);
  };
  const names = manifest.tables.map(({ table }) => table);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`This program has no table ${missing.join(', ')}`);
  for (const name of names) if (tableNamed(name).export !== 'totals') add(name);
  for (const name of names) add(name);
  return [...ordered.values()].filter(({ name }) => names.includes(name) && name !== 'companies');
}

/** Prepares rows for loading: without the secrets of the exporting installation, and with public names that are free here. */
async function amended(tx: Tx, table: string, lines: string[], masterKey: MasterKey): Promise<string[]> {
  if (table === 'webhook_endpoints') {
    return lines.map((line) => {
      const secret = `\\x${masterKey.seal(newWebhookSecret()).toString('hex')}`;
      return JSON.stringify({ ...JSON.parse(line), secret, active: false, disabled_reason: LOADED_ENDPOINT });
    });
  }
  if (table === 'payment_accounts') {
    return lines.map((line) => {
      const sealed_config = sealSecrets(masterKey, { secret_key: '', webhook_secrets: [] });
      const fresh = { sealed_config, webhook_token: newWebhookToken(), secret_end: null, active: false };
      return JSON.stringify({ ...JSON.parse(line), ...fresh });
    });
  }
  if (table !== 'forms') return lines;
  const forms = lines.map((line) => JSON.parse(line) as { public_id: string });
  const taken = await tx.query<{ public_id: string }>(queries.findForms(forms.map((form) => form.public_id)));
  return forms.map((form) => {
    const isTaken = taken.some(({ public_id }) => public_id === form.public_id);
    return JSON.stringify(isTaken ? { ...form, public_id: newPublicId() } : form);
  });
}

/** Creates partitions for the months of the company's events. */
async function makeMonths(tx: Tx, folder: string): Promise<void> {
  const months = new Set<string>();
  for await (const lines of batchesOf(folder, 'events')) {
    for (const line of lines) {
      const { received_at: at } = JSON.parse(line) as { received_at: string };
      months.add(new Date(at).toISOString().slice(0, 7));
    }
  }
  for (const month of months) await tx.query(queries.makeMonth(`${month}-01`));
}

async function firstBatch(folder: string, table: string): Promise<string[]> {
  for await (const batch of batchesOf(folder, table)) return batch;
  return [];
}

/** Yields the lines of a table's file, in batches of bounded size. */
async function* batchesOf(folder: string, table: string): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let chars = 0;
  const file = createReadStream(join(folder, `${table}.jsonl`), 'utf8');
  for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '') continue;
    if (batch.length > 0 && chars + line.length > BATCH_CHARS) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(line);
    chars += line.length;
  }
  if (batch.length > 0) yield batch;
}
