import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { UNFINISHED } from '../../work/slices.ts';
import * as count from './count-queries.ts';
import * as queries from './pass-queries.ts';

export interface RecommendationsDeps {
  /** The database lane for background work. */
  db: Db;
  clock: Clock;
  log: Logger;
}

const HOUR_MS = 3_600_000;
/** A company's orders are counted again after this time, by the program's clock. */
const EVERY_MS = 6 * HOUR_MS;
/** A company with at most this many orders is counted more often. */
const FEW_ORDERS = 5_000;
const EVERY_MS_OF_FEW = HOUR_MS;
/** Days whose orders are counted. */
const DAYS = 90;
/** Only the newest orders are counted, so that a company's pass is bounded however many orders it has. */
export const MOST_ORDERS = 200_000;
/** The longest turn, so that other chores wait no longer. */
const TURN_MS = 250;
/** Target duration of a slice. */
const SLICE_MS = 40;
/** Companies that are looked up at once, and how often while others are under way. */
const COMPANIES_AT_ONCE = 200;
const LOOK_MS = 60_000;

/** Sizes of a slice: orders, categories, products, rows. */
const SIZES: Record<Exclude<queries.Step, 'done'>, { least: number; most: number }> = {
  sales: { least: 50, most: 2_000 },
  categories: { least: 1, most: 50 },
  together: { least: 1, most: 100 },
  forget: { least: 50, most: 2_000 },
};

interface Turn {
  companyId: number;
  step: queries.Step | null;
  size: number;
}

/**
 * Counts what each company sold, and what was bought together, every few hours. Companies take turns, one slice each; a slice is a
 * transaction that stores where the next one begins. Any number of processes may do so at once.
 */
export function createRecommendations({ db, clock, log }: RecommendationsDeps) {
  let waiting: Turn[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Adds companies that are due to those in progress. */
  async function look(): Promise<void> {
    lookedAt = monotonicMs();
    const now = clock.now();
    const latest = new Date(now.getTime() + EVERY_MS);
    const companies = await queries.companiesWithWork(db, now, latest, COMPANIES_AT_ONCE);
    const known = new Set(waiting.map(({ companyId }) => companyId));
    const due = companies.filter((companyId) => !known.has(companyId));
    waiting = [...due.map((companyId) => ({ companyId, step: null, size: 1 })), ...waiting];
  }

  /** Processes one slice; returns whether more of the pass follows. */
  async function takeSlice(turn: Turn): Promise<boolean> {
    const began = monotonicMs();
    const step = await db.tenantTx(turn.companyId, (tx) => slice(tx, turn, clock.now()));
    if (step === null || step === 'done') return false;
    if (step === turn.step) turn.size = sizeFor(step, turn.size, monotonicMs() - began);
    else turn.size = SIZES[step].least;
    turn.step = step;
    return true;
  }

  return async (): Promise<typeof UNFINISHED | undefined> => {
    const ends = monotonicMs() + TURN_MS;
    if (waiting.length === 0 || monotonicMs() - lookedAt > LOOK_MS) await look();
    while (waiting.length > 0 && monotonicMs() < ends) {
      const turn = waiting.shift()!;
      const more = await takeSlice(turn).catch((error: unknown) => {
        // The other companies continue; this company's pass continues at the next look-up.
        log.error({ err: error, company_id: turn.companyId }, 'updating recommendations failed');
        return false;
      });
      if (more) waiting.push(turn);
    }
    return waiting.length > 0 ? UNFINISHED : undefined;
  };
}

/** Returns the step of the next slice; null if there is nothing to do or another process does it. */
async function slice(tx: Tx, turn: Turn, now: Date): Promise<queries.Step | null> {
  const { companyId } = turn;
  const pass = await queries.lockPass(tx, companyId);
  if (pass === null) return null;
  if (pass === undefined || pass.step === 'done') {
    if (pass !== undefined && pass.next_at > now && pass.next_at.getTime() <= now.getTime() + EVERY_MS) return null;
    const since = new Date(now.getTime() - DAYS * 24 * HOUR_MS);
    await queries.beginPass(tx, companyId, { since, nextAt: new Date(now.getTime() + EVERY_MS) });
    return 'sales';
  }
  const size = pass.step === turn.step ? turn.size : SIZES[pass.step].least;
  const next = await STEPS[pass.step](tx, companyId, pass, size);
  await queries.savePass(tx, companyId, { ...pass, ...next });
  return next.step ?? pass.step;
}

type Progress = Partial<queries.Pass>;
type TakeStep = (tx: Tx, companyId: number, pass: queries.Pass, size: number) => Promise<Progress>;

/** Does a part of each step, and returns where it stopped. */
const STEPS: Record<Exclude<queries.Step, 'done'>, TakeStep> = {
  async sales(tx, companyId, pass, size) {
    const wanted = Math.min(size, MOST_ORDERS - pass.looked_at);
    const { orders, lowest } = await count.addSales(tx, companyId, pass, wanted);
    const lookedAt = pass.looked_at + orders;
    if (orders < wanted || lookedAt >= MOST_ORDERS) return { step: 'categories', position: null, looked_at: lookedAt };
    return { position: lowest, looked_at: lookedAt };
  },
  async categories(tx, companyId, pass, size) {
    if (pass.category === null) {
      await count.rankShop(tx, companyId, pass.pass);
      return { category: '' };
    }
    const slugs = await count.rankCategories(tx, companyId, pass, size);
    return slugs.length < size ? { step: 'together', position: null } : { category: slugs.at(-1)! };
  },
  async together(tx, companyId, pass, size) {
    const ids = await count.countTogether(tx, companyId, pass, size);
    return ids.length < size ? { step: 'forget', position: null } : { position: ids.at(-1)! };
  },
  async forget(tx, companyId, pass, size) {
    const removed = await count.forgetUnsold(tx, companyId, pass, size);
    if (removed === size) return {};
    const sooner = pass.looked_at <= FEW_ORDERS ? EVERY_MS - EVERY_MS_OF_FEW : 0;
    return { step: 'done', next_at: new Date(pass.next_at.getTime() - sooner) };
  },
};

/** Returns the size of the next slice, by how long this one took. */
function sizeFor(step: Exclude<queries.Step, 'done'>, size: number, ms: number): number {
  const { least, most } = SIZES[step];
  if (ms > SLICE_MS) return Math.max(least, Math.floor(size / 2));
  return ms < SLICE_MS / 2 ? Math.min(most, size * 2) : size;
}
