import type { Logger } from 'pino';
import type { Db, Tx } from '../../db/pool.ts';
import { holdOutbox } from '../../outbox/service.ts';
import type { ImportContext, ImportKind, Lane, Outcome } from '../kinds/kind.ts';
import type { Phase } from '../queries.ts';
import * as progress from './progress-queries.ts';
import type { Batch, Finding } from './reader.ts';
import { writeRecords } from './write-records.ts';

/** Findings of a phase that are kept; beyond them they are only counted. */
const MAX_FINDINGS = 50_000;
/** Of the cells of a row, as much as is kept. */
const MAX_CELLS_LENGTH = 20_000;

/** Somebody else has the import now, or it was cancelled. */
export class LeaseLost extends Error {}

export interface BatchWriterDeps {
  db: Db;
  log: Logger;
  claim: progress.Claim;
  phase: Phase;
  kind: ImportKind<unknown>;
  context: ImportContext;
  /** How many findings and entries of the journal there are. */
  counts: progress.Counts;
}

/** A batch whose transaction is under way. */
interface Writing {
  lane: Lane;
  /** The keys of all that it may change, once it has locked them. */
  keys: Promise<ReadonlySet<string>>;
  done: Promise<void>;
}

/**
 * Checks or writes the batches of an import, each in a transaction with its progress. Where the kind of records has lanes, two batches
 * without a common key are written at a time: the second commits behind the first, so that what is done is always a beginning of the file.
 */
export class BatchWriter {
  private readonly deps: BatchWriterDeps;
  private counts: progress.Counts;
  private last: Writing | null = null;

  constructor(deps: BatchWriterDeps) {
    this.deps = deps;
    this.counts = deps.counts;
  }

  /** Begins with the batch, and waits for the one before it. Throws LeaseLost; nothing behind the batch that failed is written. */
  async write(batch: Batch<unknown>): Promise<void> {
    const { phase, kind } = this.deps;
    if (phase !== 'run' || kind.lanes === undefined) return this.apply(batch);
    const before = this.last;
    const isBeside = before !== null && (await isApart(batch, kind.lanes, before));
    if (!isBeside) await before?.done;
    this.last = this.begin(batch, isBeside ? before : null);
    if (isBeside) await before.done;
  }

  /** Once nothing is under way any more. Throws what the last batch failed with. */
  async settled(): Promise<void> {
    await this.last?.done;
  }

  private begin(batch: Batch<unknown>, before: Writing | null): Writing {
    const lane: Lane = before?.lane === 0 ? 1 : 0;
    const { promise: keys, resolve, reject } = Promise.withResolvers<ReadonlySet<string>>();
    const done = this.apply(batch, { lane, onKeys: (found) => resolve(new Set(found)), before: before?.done });
    // Heard of when it is asked for. Where there was nothing to lock, nothing is in common.
    keys.catch(() => {});
    done.then(() => resolve(new Set()), reject);
    return { lane, keys, done };
  }

  private async apply(batch: Batch<unknown>, beside?: Beside): Promise<void> {
    const { db, claim, phase } = this.deps;
    let attempts = 0;
    const added = await db.tenantTx(claim.companyId, async (tx) => {
      // The batch beside it waits for this one with its lock: both begin again, where the worker takes the import up.
      if (++attempts > 1 && beside !== undefined) throw new Error('A deadlock ended a batch that is written in a lane');
      if (phase === 'run') await this.lock(tx, beside);
      const written = await this.writeRecords(tx, batch, beside);
      await beside?.before;
      return this.advance(tx, batch, written);
    });
    this.counts = { findings: this.counts.findings + added.findings, journal: this.counts.journal + added.journal };
  }

  private async lock(tx: Tx, beside: Beside | undefined): Promise<void> {
    const { kind, claim } = this.deps;
    const { companyId } = claim;
    const lane = beside === undefined ? null : kind.lanes!.lock(tx, companyId, beside.lane);
    await Promise.all([holdOutbox(tx, companyId, { shared: beside !== undefined }), lane]);
  }

  private writeRecords(tx: Tx, { records }: Batch<unknown>, beside: Beside | undefined) {
    const { kind, context, phase, claim, log } = this.deps;
    return writeRecords(tx, {
      ...{ kind, context, phase },
      records: records.map(({ record }) => record),
      ...(beside === undefined ? {} : { onKeys: beside.onKeys }),
      onFault: (i, error) => {
        const place = { company_id: claim.companyId, import_id: claim.id, row: records[i]!.row };
        log.warn({ err: error, ...place }, 'the database refused a record of an import');
      },
    });
  }

  private async advance(
    tx: Tx,
    { records, findings, through }: Batch<unknown>,
    { outcomes, journal }: Awaited<ReturnType<typeof writeRecords>>,
  ): Promise<progress.Counts> {
    const { claim, phase } = this.deps;
    const { counts } = this;
    const found = [...findings, ...findingsOf(records, outcomes)].sort((a, b) => a.row - b.row);
    const kept = found.slice(0, Math.max(0, MAX_FINDINGS - counts.findings)).map(shortened);
    const added = { findings: kept.length, journal: journal.length };
    const done = { ...countsOf(findings, outcomes), position: through };
    if (!(await progress.advance(tx, claim, done, added))) throw new LeaseLost();
    await progress.insertFindings(tx, claim, phase, counts.findings, kept);
    await progress.insertJournal(tx, claim, counts.journal, journal);
    return added;
  }
}

/** In which lane a batch is written, and behind which other it commits. */
interface Beside {
  lane: Lane;
  onKeys: (keys: string[]) => void;
  before: Promise<void> | undefined;
}

/** Whether the batch has nothing to do with what the one before it may change. */
async function isApart(
  { records }: Batch<unknown>,
  { keysOf }: NonNullable<ImportKind<unknown>['lanes']>,
  { keys }: Writing,
): Promise<boolean> {
  const taken = await keys;
  return records.every(({ record }) => keysOf(record).every((key) => !taken.has(key)));
}

function findingsOf(records: { row: number; cells: string[] }[], outcomes: Outcome[]): Finding[] {
  return outcomes.flatMap((one, i): Finding[] => {
    if (!('reason' in one)) return [];
    const { row, cells } = records[i]!;
    return [{ outcome: one.outcome, row, field: one.field, reason: one.reason, cells }];
  });
}

function countsOf(findings: Finding[], outcomes: Outcome[]): progress.Progress {
  const counts = { ...progress.NO_PROGRESS, position: 0 };
  for (const { outcome } of findings) counts[outcome]++;
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
