import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { tookTooLong } from '../../../db/time-limit.ts';
import { makeCalls } from '../../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import { lockCampaign, updateCampaign } from '../queries.ts';
import { countInBackground, takeSnapshot } from './snapshot.ts';
import { findUncounted, findWithoutSnapshot, storeCount, type Unknown } from './snapshot-queries.ts';

const IDLE_MS = 500;
/** Segments that are evaluated at once in a process, one of each company. */
const LANES = 2;
/** What could not be done, or is just being done by another process, is tried again after so long. */
const TRIED_AGAIN_MS = 2_000;

export interface AudienceWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  /** It is known whom a campaign goes to. */
  onKnown: () => void;
}

/**
 * Finds out whom campaigns go to where a response could not wait for it. Apart from the worker that writes audiences and starts
 * campaigns, so that a segment that takes minutes holds up no other company's campaign.
 */
export function createAudienceWorker({ db, clock, log, onKnown }: AudienceWorkerDeps): Worker {
  async function evaluate({ company_id, id }: Unknown): Promise<number> {
    try {
      const done = await takeSnapshot(db, company_id, id);
      if (done > 0) onKnown();
      return done;
    } catch (error) {
      if (!tookTooLong(error)) throw error;
      log.error({ err: error, company_id, campaign_id: id }, 'the segment of a campaign takes too long');
      await db.tenantTx(company_id, async (tx) => {
        const row = await lockCampaign(tx, company_id, id);
        const isOpen = row?.status === 'sending' || row?.status === 'paused';
        if (!isOpen || row.recipients !== null) return;
        const now = clock.now();
        await updateCampaign(
          tx,
          company_id,
          { ...row, status: 'failed', reason: 'segment_too_slow', finished_at: now },
          now,
        );
      });
      return 1;
    }
  }

  async function count({ company_id, id }: Unknown): Promise<number> {
    try {
      return await countInBackground(db, company_id, id, clock.now());
    } catch (error) {
      if (!tookTooLong(error)) throw error;
      log.warn({ err: error, company_id, campaign_id: id }, 'the recipients of a campaign take too long to count');
      await db.tenantTx(company_id, async (tx) => {
        const row = await lockCampaign(tx, company_id, id);
        if (row !== undefined) await storeCount(tx, company_id, row, null);
      });
      return 1;
    }
  }

  const triedAgainAt = new Map<string, number>();
  const keyOf = ({ company_id, id }: Unknown): string => `${company_id}:${id}`;
  const isDue = (one: Unknown): boolean => (triedAgainAt.get(keyOf(one)) ?? 0) <= monotonicMs();

  async function work(one: Unknown, run: (one: Unknown) => Promise<number>): Promise<void> {
    try {
      if ((await run(one)) > 0) return void triedAgainAt.delete(keyOf(one));
    } catch (error) {
      log.error({ err: error, company_id: one.company_id, campaign_id: one.id }, 'an audience could not be found out');
    }
    triedAgainAt.set(keyOf(one), monotonicMs() + TRIED_AGAIN_MS);
  }

  /** Of each company what has waited longest; campaigns that start before those that are only counted. */
  async function findDue(): Promise<Map<number, () => Promise<void>>> {
    const due = new Map<number, () => Promise<void>>();
    const add = (found: Unknown[], run: (one: Unknown) => Promise<number>): void => {
      for (const one of found.filter(isDue))
        if (!due.has(one.company_id)) due.set(one.company_id, () => work(one, run));
    };
    add(await findWithoutSnapshot(db), evaluate);
    add(await findUncounted(db), count);
    return due;
  }

  return createWorker({
    name: 'campaign-audiences',
    idleMs: IDLE_MS,
    log,
    run(signal) {
      let due = new Map<number, () => Promise<void>>();
      return makeCalls<() => Promise<void>>(
        {
          companies: async () => {
            due = await findDue();
            return [...due.keys()];
          },
          claim: async (companyId) => [due.get(companyId)!],
          call: (_companyId, run) => run(),
          perCompany: 1,
          inAll: LANES,
        },
        signal,
      );
    },
  });
}
