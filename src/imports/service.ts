import { isTimeZone } from '../access/service.ts';
import type { Caller } from '../caller.ts';
import type { ShopCache } from '../commerce/shop.ts';
import { write } from '../db/idempotency.ts';
import type { Db, Tx } from '../db/pool.ts';
import { AppError, found, invalidField } from '../errors.ts';
import { type Page, type PageQuery, pageOf } from '../lib/paging.ts';
import { findListSettings } from '../marketing/lists/service.ts';
import type { Suppressions } from '../messaging/suppressions/suppressions.ts';
import type { Wake } from '../work/worker-names.ts';
import { CHUNK_BYTES, type Chunk, type NewImport } from './contract.ts';
import type { Encoding } from './csv/text.ts';
import type { Format } from './formats/format.ts';
import { customFieldsOf, faultOfMapping, guessMapping } from './formats/mapping.ts';
import { FORMATS, fieldsOf, formatNamed } from './formats/registry.ts';
import { createPreviewQueue, firstRows, SAMPLE_ROWS } from './preview.ts';
import * as queries from './queries.ts';
import { textOfFile } from './run/context.ts';
import { needsConsent } from './run/open-import.ts';
import type { Import, ImportFinding, ImportFormat, ImportOptions, ImportPreview, ImportStatus } from './schemas.ts';

export { createImportWorker } from './run/worker.ts';

export const UNDO_DAYS = 7;
const DAY_MS = 86_400_000;
/** Largest file. */
export const MAX_BYTES = 256 * 2 ** 20;
/** Files that one company may have here at a time. */
const MAX_FILES = 3;
const SAMPLE_LENGTH = 200;
/** Of imports that have not ended. */
export const OPEN_STATUSES: readonly ImportStatus[] = ['uploading', 'checking', 'checked', 'running'];

export interface ImportsDeps {
  db: Db;
  shops: ShopCache;
  suppressions: Suppressions;
  wake: Wake;
}

export type ImportsService = ReturnType<typeof createImportsService>;

/** Imports: files that are uploaded, checked, run and, for seven days, undone. A worker (run/worker.ts) does the work. */
export function createImportsService({ db, shops, wake }: ImportsDeps) {
  const previews = createPreviewQueue();

  /** Changes the status of an import, which must be one of `from`. */
  async function move(
    caller: Caller,
    id: number,
    from: readonly ImportStatus[],
    to: (tx: Tx, row: queries.ImportRow) => Promise<queries.ImportRow>,
  ): Promise<Import> {
    const row = await write(db, caller, async (tx) => {
      const old = found(await queries.lockImport(tx, caller.companyId, id), 'import');
      if (!from.includes(old.status)) throw wrongStatus(old.status);
      return recordOf(await to(tx, old));
    });
    wake('imports');
    return row;
  }

  return {
    listFormats(): { formats: ImportFormat[] } {
      return { formats: FORMATS.map(formatRecord) };
    },

    async listImports(companyId: number, query: PageQuery): Promise<Page<Import> & { rows: Import[] }> {
      const page = pageOf(query);
      const { rows, total } = await queries.listImports(db.lists(companyId), companyId, page);
      return { rows: rows.map(recordOf), total, ...page };
    },

    /** Throws not_found. */
    async getImport(companyId: number, id: number): Promise<Import> {
      return recordOf(found(await queries.findImport(db.points(companyId), companyId, id), 'import'));
    },

    /** Throws rate_limited while the company has too many unfinished imports. */
    async createImport(caller: Caller, { format, file_name }: NewImport): Promise<Import> {
      const { companyId, actor, now } = caller;
      return write(db, caller, async (tx) => {
        if ((await queries.countFiles(tx, companyId)) >= MAX_FILES) {
          const message = `${MAX_FILES} imports are open: run or cancel one of them first`;
          throw new AppError('rate_limited', message, { retry_after: 60 });
        }
        return recordOf(await queries.insertImport(tx, companyId, { format, file_name, actor }, now));
      });
    },

    /** Throws not_found, validation_failed. */
    async uploadChunk(caller: Caller, id: number, { n, data }: Chunk): Promise<Import> {
      const bytes = Buffer.from(data, 'base64');
      if (bytes.length === 0 || bytes.length > CHUNK_BYTES || bytes.toString('base64').length !== data.length) {
        throw invalidField('data', `data must be 1 to ${CHUNK_BYTES} bytes in base64`);
      }
      return write(db, caller, async (tx) => {
        const row = found(await queries.lockImport(tx, caller.companyId, id), 'import');
        if (row.status !== 'uploading') throw wrongStatus(row.status);
        if (n < row.chunks) return recordOf(row);
        if (n > row.chunks) throw invalidField('n', `The next chunk is number ${row.chunks}`);
        if (row.bytes + bytes.length > MAX_BYTES) throw invalidField('data', `A file has at most ${MAX_BYTES} bytes`);
        return recordOf(await queries.insertChunk(tx, caller.companyId, { id, n, data: bytes }));
      });
    },

    /** Throws not_found, bad_request for a file that cannot be read, rate_limited. */
    async previewImport(companyId: number, id: number, encoding: Encoding | undefined): Promise<ImportPreview> {
      const lane = db.lists(companyId);
      const row = found(await queries.findImport(lane, companyId, id), 'import');
      if (row.chunks === 0) throw new AppError('bad_request', 'The file has not been uploaded, or has expired');
      const format = formatNamed(row.format)!;
      const options = encoding === undefined ? row.options : { ...row.options, encoding };
      const text = textOfFile(lane, companyId, { ...row, options });
      const [header, ...others] = await previews.run(companyId, () => firstRows(text));
      if (header === undefined) throw new AppError('bad_request', 'The file is empty');
      const names = header.map((cell) => cell.trim().slice(0, SAMPLE_LENGTH));
      const shop = await shops.get(companyId);
      const mapping = guessMapping(format, names, shop);
      const custom_fields = customFieldsOf(format, shop);
      const sample = others.slice(0, SAMPLE_ROWS).map((cells) => cells.map((cell) => cell.slice(0, SAMPLE_LENGTH)));
      return { header: names, mapping, custom_fields, sample, needs_consent: needsConsent(format, mapping) };
    },

    /** Throws not_found, validation_failed, bad_request. */
    async checkImport(caller: Caller, id: number, options: ImportOptions): Promise<Import> {
      const { companyId, now } = caller;
      if (options.list_id !== undefined) {
        const lists = await findListSettings(db.points(companyId), companyId, [options.list_id]);
        if (lists.length === 0) throw invalidField('list_id', `There is no list ${options.list_id}`, 'not_found');
      }
      if (options.time_zone !== undefined && !isTimeZone(options.time_zone)) {
        throw invalidField('time_zone', `There is no time zone ${options.time_zone}`);
      }
      const shop = await shops.get(companyId);
      return move(caller, id, ['uploading', 'checked', 'failed'], (tx, row) => {
        const { mapping } = options;
        const fault = mapping === undefined ? null : faultOfMapping(formatNamed(row.format)!, mapping, shop);
        if (fault !== null) throw invalidField('mapping', fault);
        if (row.chunks === 0) throw new AppError('bad_request', 'The file has not been uploaded, or has expired');
        return queries.beginPhase(tx, companyId, { id, status: 'checking', options, now });
      });
    },

    /** Throws not_found, bad_request before the check. */
    async runImport(caller: Caller, id: number): Promise<Import> {
      const { companyId, now } = caller;
      return move(caller, id, ['checked'], (tx, { options }) =>
        queries.beginPhase(tx, companyId, { id, status: 'running', options, now }),
      );
    },

    /** Throws not_found, and bad_request if the import has ended. */
    async cancelImport(caller: Caller, id: number): Promise<Import> {
      const { companyId, now } = caller;
      return move(caller, id, OPEN_STATUSES, (tx, row) =>
        // An import that has run counts as ended early, so that it can be undone.
        queries.setStatus(tx, companyId, id, row.started_at === null ? 'cancelled' : 'done', now),
      );
    },

    /** Throws not_found, and bad_request if the import was not run, or ended more than seven days ago. */
    async undoImport(caller: Caller, id: number): Promise<Import> {
      const { companyId, now } = caller;
      return move(caller, id, ['done', 'failed'], (tx, row) => {
        if (row.started_at === null || undoUntil(row) === null || undoUntil(row)! < now) {
          throw new AppError('bad_request', `An import can be undone for ${UNDO_DAYS} days`);
        }
        return queries.beginPhase(tx, companyId, { id, status: 'undoing', options: row.options, now });
      });
    },

    /** Throws not_found. */
    async listFindings(
      companyId: number,
      id: number,
      query: { phase?: queries.Phase; after?: number; per_page?: number },
    ): Promise<{ findings: ImportFinding[]; next: number | null }> {
      const lane = db.lists(companyId);
      const row = found(await queries.findImport(lane, companyId, id), 'import');
      const { phase = row.started_at === null ? 'check' : 'run', after = 0, per_page: limit = 100 } = query;
      const rows = await queries.listFindings(lane, companyId, id, { phase, after, limit });
      const findings = rows.map(({ n: _, ...finding }) => ({ ...finding, column: columnOf(row, finding.field) }));
      return { findings, next: rows.length < limit ? null : rows.at(-1)!.n + 1 };
    },
  };
}

function wrongStatus(status: ImportStatus): AppError {
  return new AppError('bad_request', `The import is ${status}`);
}

function columnOf({ header, mapping }: queries.ImportRow, field: string | null): string | null {
  const at = field === null ? -1 : mapping.indexOf(field);
  return at === -1 ? null : (header[at] ?? null);
}

function undoUntil({ started_at, finished_at, status }: queries.ImportRow): Date | null {
  if (started_at === null || finished_at === null || (status !== 'done' && status !== 'failed')) return null;
  return new Date(finished_at.getTime() + UNDO_DAYS * DAY_MS);
}

function formatRecord(format: Format): ImportFormat {
  const { name, title, kind } = format;
  const columns = format.columns.flatMap(({ headers, field }) => headers.map((header) => ({ column: header, field })));
  return { name, title, kind, fields: fieldsOf(format), columns };
}

function recordOf(row: queries.ImportRow): Import {
  const { id, format, file_name, status, bytes, chunks, options, header, mapping, error } = row;
  const { created, updated, unchanged, skipped, refused, suppressed, undone, kept } = row;
  return {
    id,
    format,
    file_name,
    status,
    bytes,
    chunks,
    options,
    header,
    mapping,
    error,
    kind: formatNamed(format)!.kind,
    readings: (row.readings ?? []).map((one) => ({ column: columnOf(row, one.field), ...one })),
    notices: (row.notices?.notices ?? []).map(({ at, code, count }) => ({
      code,
      column: at === null ? null : (row.header[at] ?? null),
      count,
    })),
    // Without the header.
    total: row.total === null ? null : Math.max(0, row.total - 1),
    position: Math.max(0, row.position - 1),
    created,
    updated,
    unchanged,
    skipped,
    refused,
    suppressed,
    undone,
    kept,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    undo_until: undoUntil(row)?.toISOString() ?? null,
  };
}
