import { monotonicMs } from '../../clock.ts';
import { AppError } from '../../errors.ts';
import { eachCompany } from '../../work/sets.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import type { ImportRow } from '../queries.ts';
import { LeaseLost, OpenImport, type OpenImportDeps } from './open-import.ts';
import * as progress from './progress-queries.ts';
import { undoStep } from './undo.ts';

const IDLE_MS = 500;
/** Imports that a process has open at a time; each keeps up to 50 MB of keys in memory, and of WooCommerce's products 30 MB more. */
const MAX_OPEN = 3;
export interface TurnLimits {
  /** Length of a company's turn. */
  sliceMs: number;
  /** How long an import runs before it may have to yield to one of a waiting company. */
  heldMs: number;
}
const LIMITS: TurnLimits = { sliceMs: 250, heldMs: 10_000 };
/** Reading a file again should cost only a fraction of the work: an import runs this many times as long as that took. */
const REREAD_FACTOR = 2;
/** An import fails after this many consecutive failures. */
const MAX_FAILURES = 5;

export type ImportWorkerDeps = OpenImportDeps;

interface Held {
  row: ImportRow;
  open: OpenImport;
  failures: number;
  /** In `monotonicMs`. `openedAt` is when the survey ended if there was one, `beganAt` is null while batches that were done before are read again. */
  openedAt: number;
  beganAt: number | null;
}

/**
 * Checks, runs and undoes imports: one per company at a time, in slices, with companies taking turns. A slice consists of short
 * transactions, each of which stores rows together with the progress. If a process dies, another takes over after 30 s. A process has few
 * imports open: while others wait, the one that was open for longest is closed and waits as well.
 * See docs/design/imports.md.
 */
export function createImportWorker(deps: ImportWorkerDeps, limits: TurnLimits = LIMITS): Worker {
  const { db, log, clock } = deps;
  const held = new Map<number, Held>();
  /** Waiting companies, longest first, each with the time when it was first seen. */
  const waitingSince = new Map<number, number>();

  async function claim(companyId: number): Promise<Held | undefined> {
    const row = await db.tenantTx(companyId, (tx) => progress.claimImport(tx, companyId));
    if (row === undefined) return undefined;
    const open = new OpenImport(deps, companyId, row);
    const one: Held = { row, open, failures: 0, openedAt: monotonicMs(), beganAt: null };
    held.set(companyId, one);
    return one;
  }

  async function leave(companyId: number): Promise<void> {
    const one = held.get(companyId);
    held.delete(companyId);
    await one?.open.close();
  }

  async function serve(companyId: number): Promise<number> {
    const one = held.get(companyId) ?? (held.size < MAX_OPEN ? await claim(companyId) : undefined);
    if (one === undefined) return 0;
    try {
      const until = monotonicMs() + limits.sliceMs;
      let goesOn = true;
      while (goesOn && monotonicMs() < until) goesOn = await step(one);
      one.failures = 0;
      if (one.open.isSurveying) one.openedAt = monotonicMs();
      if (one.open.caughtUp || one.row.status === 'undoing') one.beganAt ??= monotonicMs();
      if (!goesOn) await end(companyId, one, null);
      return 1;
    } catch (error) {
      await failed(companyId, one, error);
      return 1;
    }
  }

  function step({ row, open }: Held): Promise<boolean> {
    return row.status === 'undoing' ? undoStep(deps, open.claim, row, clock.now()) : open.step();
  }

  async function end(companyId: number, { row, open }: Held, error: string | null): Promise<void> {
    const done = row.status === 'checking' ? 'checked' : row.status === 'running' ? 'done' : 'undone';
    const status = error === null ? done : 'failed';
    await db.tenantTx(companyId, (tx) => progress.finish(tx, open.claim, { status, error, now: clock.now() }));
    await leave(companyId);
  }

  async function failed(companyId: number, one: Held, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) {
      await leave(companyId);
      return;
    }
    // The file itself is at fault.
    if (error instanceof AppError && error.code === 'bad_request') {
      await end(companyId, one, error.message);
      return;
    }
    one.failures++;
    log.error({ err: error, company_id: companyId, import_id: one.row.id, failures: one.failures }, 'an import failed');
    if (one.failures >= MAX_FAILURES) {
      await end(companyId, one, 'An internal error: see the log of the server');
      return;
    }
    // The next turn continues after the last committed transaction.
    const { failures } = one;
    await release(companyId, one);
    const again = await claim(companyId);
    if (again !== undefined) again.failures = failures;
  }

  async function release(companyId: number, { open }: Held): Promise<void> {
    await leave(companyId);
    await db.tenantTx(companyId, (tx) => progress.releaseLease(tx, open.claim));
  }

  async function waitingCompanies(): Promise<number[]> {
    const found = new Set((await progress.companiesWithWork(db)).filter((companyId) => !held.has(companyId)));
    for (const companyId of waitingSince.keys()) if (!found.has(companyId)) waitingSince.delete(companyId);
    for (const companyId of found) if (!waitingSince.has(companyId)) waitingSince.set(companyId, monotonicMs());
    return [...waitingSince.keys()];
  }

  /** Closes the import that was open for longest, of those that ran long enough. */
  async function giveWay(): Promise<void> {
    const now = monotonicMs();
    const mayGo = ({ openedAt, beganAt }: Held): boolean =>
      beganAt !== null && now - beganAt >= Math.max(limits.heldMs, REREAD_FACTOR * (beganAt - openedAt));
    const [longest] = [...held].filter(([, one]) => mayGo(one)).sort(([, a], [, b]) => a.openedAt - b.openedAt);
    if (longest !== undefined) await release(...longest);
  }

  const worker = createWorker({
    name: 'imports',
    idleMs: IDLE_MS,
    log,
    run: async (signal) => {
      const waiting = await waitingCompanies();
      if (held.size >= MAX_OPEN && waiting.length > 0) await giveWay();
      const turns = [...new Set([...held.keys(), ...waiting])];
      return eachCompany(turns, signal, serve);
    },
  });

  return {
    ...worker,
    async stop() {
      await worker.stop();
      for (const [companyId, one] of [...held]) await release(companyId, one);
    },
  };
}
