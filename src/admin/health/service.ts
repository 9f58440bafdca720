import type { Logger } from 'pino';
import type { Session } from '../../access/sessions.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import type { Examination } from '../../doctor/examine.ts';
import { AppError } from '../../errors.ts';
import type { Finding } from '../../invariants.ts';
import type { HealthCheck, HealthReport } from './contract.ts';
import * as queries from './queries.ts';

/** An examination that has not ended after this time was cut off with its process. */
const STUCK_MS = 30 * 60_000;
const TABLES = 10;
const ORDER: Record<HealthCheck['status'], number> = { wrong: 0, note: 1, ok: 2 };

export type HealthService = ReturnType<typeof createHealthService>;

interface HealthDeps {
  db: Db;
  /** Runs the checks of `tradeloom doctor`. */
  examine: () => Promise<Examination>;
  machineClock: Clock;
  log: Logger;
}

/** The results of the doctor, for owners of the installation. The last report is stored, so that any process can return it. */
export function createHealthService({ db, examine, machineClock, log }: HealthDeps) {
  async function run(): Promise<void> {
    try {
      const { checks, tables } = await examine();
      const report = {
        checks: checks.map(checkRecord).toSorted((a, b) => ORDER[a.status] - ORDER[b.status]),
        tables: tables.slice(0, TABLES).map(({ table, bytes, rows }) => ({ table, bytes, rows })),
      };
      await queries.finishReport(db.chores, { now: machineClock.now(), report, error: null });
    } catch (error) {
      log.error({ err: error }, 'the examination of the installation failed');
      const text = error instanceof Error ? error.message : String(error);
      await queries.finishReport(db.chores, { now: machineClock.now(), report: null, error: text });
    }
  }

  async function read(session: Session): Promise<HealthReport> {
    requireOwner(session);
    const row = await queries.findReport(db.strangers);
    const stuck = new Date(machineClock.now().getTime() - STUCK_MS);
    return {
      running: row !== undefined && row.finished_at === null && row.started_at >= stuck,
      started_at: row?.started_at.toISOString() ?? null,
      finished_at: row?.finished_at?.toISOString() ?? null,
      error: row?.error ?? null,
      checks: row?.report?.checks ?? [],
      tables: row?.report?.tables ?? [],
    };
  }

  return {
    /** Throws forbidden_role. */
    read,

    /** Throws forbidden_role. */
    async begin(session: Session): Promise<HealthReport> {
      requireOwner(session);
      const now = machineClock.now();
      if (await queries.beginReport(db.strangers, now, new Date(now.getTime() - STUCK_MS))) {
        log.info({ actor: session.actor }, 'examining the installation');
        run().catch((error: unknown) => log.error({ err: error }, 'the report could not be stored'));
      }
      return read(session);
    },
  };
}

function requireOwner(session: Session): void {
  if (session.ownsInstallation) return;
  throw new AppError('forbidden_role', 'Only the owner of the installation may see this');
}

/** A note is information that does not violate an invariant. */
function checkRecord({ id, promise, ok, violations, examples, fix }: Finding): HealthCheck {
  const status = ok ? (examples.length > 0 ? 'note' : 'ok') : 'wrong';
  const places = examples.map(({ company_id, subject }) => ({
    company_id: company_id === 0 ? null : company_id,
    subject,
  }));
  return { id, status, promise, violations, examples: places, fix };
}
