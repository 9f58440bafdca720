import type { Logger } from 'pino';
import type { Slice } from '../../lib/slice.ts';
import type { Db, Tx } from '../pool.ts';
import * as queries from './queries.ts';

/** Rows that one transaction counts, which takes some 50 ms. */
const AT_ONCE = 5_000;
const LOG_EVERY = 1_000_000;

/**
 * Counts the rows that existed before a migration created the triggers that keep their totals (see count_jobs).
 * Each call counts a slice of one company's rows, in a transaction that also stores the position. It blocks nobody: a
 * row that changes before its turn records what it counted for.
 */
export function countStoredRows({ db, log }: { db: Db; log: Logger }, atOnce = AT_ONCE): Slice<true> {
  let logged = 0;
  return async () => {
    const step = await db.chores.tx((tx) => takeSlice(tx, atOnce));
    if (step === 'none') {
      const removed = await queries.removeLeft(db.chores, atOnce);
      return { done: 0, next: removed < atOnce ? null : true };
    }
    if (step.finished) log.info({ table: step.source }, 'counted the rows of before the upgrade');
    logged += step.counted;
    if (logged >= LOG_EVERY) {
      logged = 0;
      log.info({ jobs: await queries.findUnfinished(db.chores) }, 'counting the rows of before the upgrade');
    }
    return { done: step.counted, next: true };
  };
}

interface Step {
  source: queries.Source;
  counted: number;
  finished: boolean;
}

async function takeSlice(tx: Tx, atOnce: number): Promise<Step | 'none'> {
  const job = await queries.lockJob(tx);
  if (job === undefined) return 'none';
  const { source } = job;
  const companyId = await queries.findCompanyFrom(tx, job.after_company_id);
  if (companyId === undefined) {
    await queries.finishJob(tx, source);
    return { source, counted: 0, finished: true };
  }
  const place = companyId === job.after_company_id ? job : { ...job, after_company_id: companyId, after_id: 0 };
  const { last, n } = await queries.findEnd(tx, companyId, place, atOnce);
  // The last slice also takes what was recorded for rows that no longer exist.
  const range = { after: place.after_id, last: n < atOnce ? null : last };
  await queries.countRange(tx, companyId, source, range);
  await queries.removeCounted(tx, companyId, source, range);
  const next =
    range.last === null
      ? { source, after_company_id: companyId + 1, after_id: 0 }
      : { source, after_company_id: companyId, after_id: range.last };
  await queries.moveJob(tx, next, n);
  return { source, counted: n, finished: false };
}

/** By database, the jobs known to be finished: a finished job stays finished. */
const finished = new WeakMap<object, Set<queries.Source>>();

/** Whether rows of the table from before an upgrade are still being counted: their kept totals are too low until then. */
export async function isStillCounting(db: Db, ...sources: queries.Source[]): Promise<boolean> {
  const known = finished.get(db.shared) ?? new Set();
  finished.set(db.shared, known);
  if (sources.every((source) => known.has(source))) return false;
  const unfinished = new Set((await queries.findUnfinished(db)).map(({ source }) => source));
  for (const source of queries.SOURCES) if (!unfinished.has(source)) known.add(source);
  return sources.some((source) => unfinished.has(source));
}
