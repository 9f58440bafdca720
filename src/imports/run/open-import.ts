import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { holdOutbox } from '../../outbox/service.ts';
import type { CsvRow } from '../csv/rows.ts';
import type { Format } from '../formats/format.ts';
import { Kin } from '../formats/inheritance.ts';
import { fieldReader, guessMapping, type Mapping } from '../formats/mapping.ts';
import { formatNamed } from '../formats/registry.ts';
import type { ImportContext, ImportKind, Outcome, Prepared } from '../kinds/kind.ts';
import { type ImportRow, phaseOf } from '../queries.ts';
import { type FileNotices, NoticeCounter } from '../readings/notices.ts';
import { Survey } from '../readings/survey.ts';
import { type ContextDeps, contextOf, KIND_OF, readingDefaults, rowsOfFile } from './context.ts';
import * as progress from './progress-queries.ts';
import { type Batch, batchesOf, type Finding, partsOf, type ReadRecord } from './reader.ts';
import { writeRecords } from './write-records.ts';

export interface OpenImportDeps extends ContextDeps {
  /** The database lane for background work. */
  db: Db;
  clock: Clock;
  log: Logger;
}

/**
 * Records that one transaction writes. It takes about a tenth of a second, during which no contact of the company can get new keys. Orders
 * have rows in four tables each.
 */
const BATCH: Record<Format['kind'], number> = { contacts: 1_000, customers: 250, products: 250, orders: 100 };
/** Findings of a phase that are stored; further ones are only counted. */
const MAX_FINDINGS = 50_000;
/** If the cells of a row are longer than this in total, they are not stored. */
const MAX_CELLS_LENGTH = 20_000;

/** Batches that are read again between two renewals of the lease: a fraction of a second. */
const RENEW_EVERY = 50;

/** Somebody else has the import now, or it was cancelled. */
export class LeaseLost extends Error {}

/** An import that this process holds, with its file open. */
export class OpenImport {
  readonly claim: progress.Claim;
  private readonly deps: OpenImportDeps;
  private readonly row: ImportRow;
  private findings: number;
  private journal: number;
  private batches: AsyncGenerator<Batch<unknown>> | undefined;
  /** The batch after the one that is being written; it is read in the meantime. */
  private ahead: Promise<IteratorResult<Batch<unknown>>> | undefined;
  /** Looks through the file before the first record is read; undefined once that is done. */
  private survey: AsyncGenerator<void> | undefined;
  /** Whether this process has looked through the file. */
  private hasLooked = false;
  private kind: ImportKind<unknown> | undefined;
  private context: ImportContext | undefined;
  private kin: Kin | null = null;
  /** Batches that an earlier process did. */
  private passed = 0;
  /** Whether what was done before this process took over has been read again. */
  caughtUp = false;

  /** Whether the file is being looked through, which is not done again when another process takes over. */
  get isSurveying(): boolean {
    return this.survey !== undefined;
  }

  constructor(deps: OpenImportDeps, companyId: number, row: ImportRow) {
    this.deps = deps;
    this.row = row;
    this.findings = row.findings;
    this.journal = row.journal;
    this.claim = { companyId, id: row.id, epoch: row.epoch };
  }

  /** Checks, writes or skips (if done before) one batch; false at the end. Throws LeaseLost, and bad_request for an unreadable file. */
  async step(): Promise<boolean> {
    if (await this.looksThrough()) return true;
    this.batches ??= await this.open();
    const next = await (this.ahead ?? this.batches.next());
    if (next.done) return false;
    this.ahead = this.batches.next();
    // The rejection is handled when the batch is awaited.
    this.ahead.catch(() => {});
    const batch = behind(next.value, this.row.position);
    this.caughtUp = batch !== null;
    // Batches done before this process took over are read again only for their keys.
    if (batch === null) await this.keepLease();
    else await this.apply(batch);
    return true;
  }

  async close(): Promise<void> {
    await this.survey?.return(undefined);
    await this.batches?.return(undefined);
  }

  private async keepLease(): Promise<void> {
    if (++this.passed % RENEW_EVERY !== 0) return;
    if (!(await progress.renewLease(this.deps.db, this.claim))) throw new LeaseLost();
  }

  /**
   * Does one step of looking through the file: for how dates and numbers are written, unless an earlier phase did, and for rows to which others
   * refer. Returns false once that is known.
   */
  private async looksThrough(): Promise<boolean> {
    if (this.hasLooked) return false;
    this.survey ??= this.surveyed();
    if (!(await this.survey.next()).done) await this.keepLease();
    else this.survey = undefined;
    return !this.hasLooked;
  }

  private async *surveyed(): AsyncGenerator<void> {
    const { readings, status, position, options } = this.row;
    const { mapping, format, rows } = await this.columns();
    this.kin = kinOf(format, mapping, options.variants !== 'separate');
    // A new check surveys the file again: an earlier check may have read other columns.
    const isSurveyed = readings !== null && !(status === 'checking' && position === 0);
    if (isSurveyed && this.kin === null) {
      await rows.return(undefined);
      this.hasLooked = true;
      return;
    }
    const survey = new Survey();
    const counter = new NoticeCounter(format, mapping);
    const fieldsOf = fieldReader(format, mapping);
    for await (const page of rows) {
      for (const { row, cells, fault } of page) {
        if (row === 1 || fault !== undefined) continue;
        const fields = fieldsOf(cells);
        this.kin?.add(fields);
        if (isSurveyed) continue;
        survey.add(fields);
        counter.add(row, cells, fields);
      }
      yield;
    }
    if (!isSurveyed) await this.setSurvey(survey, counter.result(), format);
    this.hasLooked = true;
  }

  private async setSurvey(survey: Survey, notices: FileNotices, format: Format): Promise<void> {
    const shop = await this.deps.shops.get(this.claim.companyId);
    const readings = survey.readings(this.row.options, readingDefaults(shop, format.name));
    if (!(await progress.setSurvey(this.deps.db, this.claim, { readings, notices }))) throw new LeaseLost();
    this.row.readings = readings;
    this.row.notices = notices;
  }

  private async open(): Promise<AsyncGenerator<Batch<unknown>>> {
    const { format, mapping, rows } = await this.columns();
    this.kind = KIND_OF[format.kind];
    const now = this.row.started_at ?? this.deps.clock.now();
    this.context = await contextOf(this.deps, this.claim.companyId, this.row, now);
    const { kind, context, kin } = this;
    return batchesOf(rows, { format, mapping, kind, context, kin, size: BATCH[format.kind] });
  }

  /** Returns the file's rows from the beginning, with its format and mapping. */
  private async columns(): Promise<{ format: Format; mapping: Mapping; rows: AsyncGenerator<CsvRow[]> }> {
    const { db } = this.deps;
    const { companyId } = this.claim;
    const format = formatNamed(this.row.format);
    if (format === undefined) throw new AppError('bad_request', `There is no format ${this.row.format} any more`);
    const rows = rowsOfFile(db, companyId, this.row);
    const first = await rows.next();
    const header = first.done ? undefined : first.value[0];
    if (first.done || header === undefined || header.row !== 1 || header.fault !== undefined) {
      throw new AppError('bad_request', header?.fault ?? 'The file is empty, or its first row has no columns');
    }
    const names = header.cells.map((cell) => cell.trim().slice(0, 200));
    const shop = await this.deps.shops.get(companyId);
    const mapping: Mapping = this.row.options.mapping ?? guessMapping(format, names, shop);
    if (mapping.length !== names.length) {
      throw new AppError('bad_request', `The file has ${names.length} columns, and the mapping ${mapping.length}`);
    }
    requireColumns(format, mapping, this.row);
    if (!(await db.tenantTx(companyId, (tx) => progress.setColumns(tx, this.claim, names, mapping))))
      throw new LeaseLost();
    return { format, mapping, rows: withFirst(first.value, rows) };
  }

  private async prepared(records: unknown[]): Promise<Prepared<unknown>[]> {
    return (await this.kind!.prepare?.(this.context!, records)) ?? records.map((record) => ({ record }));
  }

  private async apply({ records: read, findings, through }: Batch<unknown>): Promise<void> {
    const { companyId } = this.claim;
    const prepared = await this.prepared(read.map(({ record }) => record));
    const records = read.flatMap((one, i) => {
      const made = prepared[i]!;
      return 'record' in made ? [{ ...one, record: made.record }] : [];
    });
    const refusals = prepared.flatMap((one) => ('refusal' in one ? [one.refusal] : []));
    const all = [...records, ...read.filter((_one, i) => 'refusal' in prepared[i]!)];
    const given = {
      kind: this.kind!,
      context: this.context!,
      records: records.map(({ record }) => record),
      onFault: (i: number, error: unknown): void => {
        const place = { company_id: companyId, import_id: this.claim.id, row: records[i]!.row };
        this.deps.log.warn({ err: error, ...place }, 'the database refused a record of an import');
      },
    };
    const phase = phaseOf(this.row.status);
    const added = await this.deps.db.tenantTx(companyId, async (tx) => {
      if (phase === 'run') await holdOutbox(tx, companyId);
      const written = await writeRecords(tx, { ...given, phase });
      const outcomes = [...written.outcomes, ...refusals];
      const found = [...findings, ...findingsOf(all, outcomes)].sort((a, b) => a.row - b.row);
      const kept = found.slice(0, Math.max(0, MAX_FINDINGS - this.findings)).map(shortened);
      const counts = { findings: kept.length, journal: written.journal.length };
      const done = { ...countsOf(findings, outcomes), position: through };
      if (!(await progress.advance(tx, this.claim, done, counts))) throw new LeaseLost();
      await progress.insertFindings(tx, this.claim, phase, this.findings, kept);
      await progress.insertJournal(tx, this.claim, this.journal, written.journal);
      return counts;
    });
    this.findings += added.findings;
    this.journal += added.journal;
  }
}

/** Removes what lies before the position; returns null if nothing is left. */
function behind<R>(batch: Batch<R>, position: number): Batch<R> | null {
  if (batch.through <= position) return null;
  if (position === 0) return batch;
  const after = <T extends { row: number }>(rows: T[]): T[] => rows.filter(({ row }) => row > position);
  return { ...batch, records: after(batch.records), findings: after(batch.findings) };
}

/** Returns a place for the rows to which others refer; null if each stands alone. */
function kinOf({ inheritance }: Format, mapping: Mapping, isGrouped: boolean): Kin | null {
  if (inheritance === undefined) return null;
  const refers = isGrouped && inheritance.by.some((field) => mapping.includes(field));
  return refers || inheritance.inherit !== undefined ? new Kin(inheritance, isGrouped) : null;
}

async function* withFirst<T>(first: T, others: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}

/** Fields that every record of the kind needs, each list as alternatives. */
const NEEDED: Record<Format['kind'], string[][]> = {
  contacts: [['email', 'phone', 'external_id']],
  customers: [['email', 'billing_email']],
  products: [['name']],
  orders: [['number'], ['email'], ['item_name']],
};

function requireColumns(format: Format, mapping: Mapping, { options }: ImportRow): void {
  for (const fields of NEEDED[format.kind]) {
    if (fields.some((field) => mapping.includes(field))) continue;
    throw new AppError('bad_request', `No column is mapped to ${fields.join(', or ')}`);
  }
  if (needsConsent(format, mapping) && options.email_consent === undefined) {
    throw new AppError('bad_request', 'No column says who agreed to marketing: choose the consent of these people');
  }
}

export function needsConsent(format: Format, mapping: Mapping): boolean {
  return (format.kind === 'contacts' || format.kind === 'customers') && !mapping.includes('email_consent');
}

function findingsOf(records: Omit<ReadRecord<unknown>, 'record'>[], outcomes: Outcome[]): Finding[] {
  const whole = new Set<number>();
  return outcomes.flatMap((one, i): Finding[] => {
    if (!('reason' in one)) return [];
    const { row, cells, others } = records[i]!;
    // Variants of a product share their rows, so these are reported once.
    const parts = one.outcome === 'refused' && !whole.has(row) ? partsOf(row, others) : [];
    whole.add(row);
    return [{ outcome: one.outcome, row, field: one.field, reason: one.reason, cells }, ...parts];
  });
}

function countsOf(findings: Finding[], outcomes: Outcome[]): progress.Progress {
  const counts = { ...progress.NO_PROGRESS, position: 0 };
  for (const { outcome, isPart } of findings) if (!isPart) counts[outcome]++;
  for (const one of outcomes) {
    counts[one.outcome]++;
    if ('suppressed' in one && one.suppressed) counts.suppressed++;
  }
  return counts;
}

function shortened(finding: Finding): Finding {
  const length = finding.cells?.reduce((sum, cell) => sum + cell.length, 0) ?? 0;
  return length > MAX_CELLS_LENGTH ? { ...finding, cells: null } : finding;
}
