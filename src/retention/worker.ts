import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../clock.ts';
import { type Db, sqlState } from '../db/pool.ts';
import type { Place } from '../db/removal.ts';
import { tookTooLong } from '../db/time-limit.ts';
import { dropMonth } from '../marketing/events/service.ts';
import { UNFINISHED } from '../work/slices.ts';
import { horizonOf, periodsOf } from './horizon.ts';
import { KINDS, type Kind } from './kinds.ts';
import * as queries from './queries.ts';
import { removalsOf } from './removals.ts';

export interface RetentionDeps {
  /** The database lane for background work. */
  db: Db;
  clock: Clock;
  log: Logger;
}

/** A kind of data is checked again after this time, by the program's clock. */
const EVERY_MS = 6 * 3_600_000;
/** The longest turn, so that other chores wait no longer. */
const TURN_MS = 250;
/** Target duration of a slice: nobody else wants the locked rows, but all share pages and WAL. */
const SLICE_MS = 40;
/** The database cancels a slice then, so that no row is locked for over 100 ms with the commit; it is retried with half the rows. */
const MOST_MS = 90;
/** A single row may take this long, so that the removal continues however expensive a row is. */
const MOST_OF_ONE_ROW_MS = 5_000;
const FIRST_ROWS = 50;
/** Only cancelled slices are followed by fewer rows: on a busy machine it is not the rows that take the time. */
const MIN_ROWS = 10;
const MAX_ROWS = 2_000;

/** The rest of one company's pass. */
interface Pass {
  companyId: number;
  kinds: { kind: Kind; before: Date }[];
  /** Index of the first kind's removal that is in progress, and its place. */
  step: number;
  place: Place | null;
  rows: number;
  /** Statement timeout of the next slice, in milliseconds. */
  mostMs: number;
}

/**
 * Removes what is older than each company keeps. Companies take turns, one slice each, so that one with much to remove does not delay the
 * others. Any number of processes may do so at once.
 * See docs/design/retention.md.
 */
export function createRetention({ db, clock, log }: RetentionDeps): () => Promise<typeof UNFINISHED | undefined> {
  let waiting: Pass[] = [];

  async function begin(): Promise<Pass[]> {
    const now = clock.now();
    const companies = await queries.findDueCompanies(db, now);
    await dropMonths(companies, now);
    const passes: Pass[] = [];
    for (const { company_id: companyId, done, ...stored } of companies) {
      const kinds: Pass['kinds'] = [];
      for (const kind of KINDS) {
        if (done.includes(kind)) continue;
        const before = beforeOf(kind, stored, now);
        if (before !== null) kinds.push({ kind, before });
      }
      if (kinds.length > 0) passes.push({ companyId, kinds, step: 0, place: null, rows: FIRST_ROWS, mostMs: MOST_MS });
    }
    return passes;
  }

  /** Drops whole months of events that no company keeps, each in a few milliseconds. */
  async function dropMonths(companies: queries.DueCompany[], now: Date): Promise<void> {
    const horizons = companies.map(({ company_id, retention }) => {
      return { company_id, before: horizonOf('events', periodsOf(retention ?? {}), now) };
    });
    const latest = Math.max(0, ...horizons.map(({ before }) => before?.getTime() ?? 0));
    if (latest === 0) return;
    const wantedBy = horizons
      .filter(({ before }) => before === null || before.getTime() < latest)
      .map(({ company_id }) => company_id);
    try {
      for (;;) {
        const month = await dropMonth(db, new Date(latest), wantedBy);
        if (month === null) return;
        log.info({ month }, 'removed a month of events that every company has kept long enough');
      }
    } catch (error) {
      // Somebody reads events for longer than the removal waits: it is tried again at the next pass.
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
  }

  /** The time of the pass, or an earlier one if the period has become longer; null if the data is now kept forever. */
  async function presentBefore({ companyId, kinds }: Pass): Promise<Date | null> {
    const { kind, before } = kinds[0]!;
    const stored = await queries.findPeriods(db, companyId);
    const present = stored === undefined ? null : beforeOf(kind, stored, clock.now());
    return present !== null && present > before ? before : present;
  }

  /** Removes one slice; returns whether more of the pass follows. */
  async function takeSlice(pass: Pass): Promise<boolean> {
    const { companyId, rows } = pass;
    const { kind } = pass.kinds[0]!;
    const before = await presentBefore(pass);
    if (before === null) return skipKind(pass);
    const removal = removalsOf(kind)[pass.step]!;
    const slice = { companyId, before, place: pass.place, limit: rows };
    if (pass.step === 0 && pass.place === null) {
      await queries.beginPass(db, companyId, kind, { before, nextAt: new Date(clock.now().getTime() + EVERY_MS) });
    }
    const began = monotonicMs();
    const slicing = db.tenantTx(companyId, async (tx) => {
      await tx.limitStatements(pass.mostMs);
      const done = await removal(tx, slice);
      if (done.removed > 0) await queries.addRemoved(tx, companyId, kind, done.removed);
      return done;
    });
    const next = await slicing.then(
      (done) => done.next,
      (error: unknown) => {
        if (!tookTooLong(error) || pass.mostMs > MOST_MS) throw error;
        return undefined;
      },
    );
    if (next === undefined) {
      if (rows === 1) pass.mostMs = MOST_OF_ONE_ROW_MS;
      pass.rows = rowsAfter(rows, null);
      return true;
    }
    pass.mostMs = MOST_MS;
    pass.rows = rowsAfter(rows, monotonicMs() - began);
    pass.place = next;
    if (next !== null) return true;
    pass.step++;
    return pass.step < removalsOf(kind).length || skipKind(pass);
  }

  function skipKind(pass: Pass): boolean {
    pass.kinds.shift();
    pass.step = 0;
    pass.place = null;
    return pass.kinds.length > 0;
  }

  return async () => {
    const ends = monotonicMs() + TURN_MS;
    if (waiting.length === 0) waiting = await begin();
    while (waiting.length > 0 && monotonicMs() < ends) {
      const pass = waiting.shift()!;
      const more = await takeSlice(pass).catch((error: unknown) => {
        // The other companies continue; this company's data of the kind is checked again after some hours.
        log.error({ err: error, company_id: pass.companyId, kind: pass.kinds[0]?.kind }, 'removing old data failed');
        return skipKind(pass);
      });
      if (more) waiting.push(pass);
    }
    return waiting.length > 0 ? UNFINISHED : undefined;
  };
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Returns the time before which a company's data of the kind is removed; null if it is kept forever. */
function beforeOf(kind: Kind, { retention, cap_hours }: queries.StoredPeriods, now: Date): Date | null {
  const horizon = horizonOf(kind, periodsOf(retention ?? {}), now);
  return kind === 'messages' ? notLaterThanCap(horizon, cap_hours, now) : horizon;
}

/** The cap counts the messages that a contact got within that many hours, so they are kept at least that long. */
function notLaterThanCap(horizon: Date | null, capHours: number | null, now: Date): Date | null {
  if (horizon === null || capHours === null) return horizon;
  return new Date(Math.min(horizon.getTime(), now.getTime() - capHours * 3_600_000));
}

/** Returns the number of rows for the next slice after one of `rows` that took `ms`; null: it was cancelled. */
export function rowsAfter(rows: number, ms: number | null): number {
  if (ms === null) return Math.max(1, Math.floor(rows / 2));
  if (ms > SLICE_MS && rows > MIN_ROWS) return Math.max(MIN_ROWS, Math.floor(rows / 2));
  if (ms < SLICE_MS / 2) return Math.min(MAX_ROWS, rows * 2);
  return rows < MIN_ROWS && ms <= MOST_MS ? Math.min(MIN_ROWS, rows * 2) : rows;
}
