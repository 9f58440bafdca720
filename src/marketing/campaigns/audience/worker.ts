import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { tookTooLong } from '../../../db/time-limit.ts';
import { makeCalls } from '../../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import type { CampaignRef } from '../campaign-ref.ts';
import { findCampaignForUpdate, updateCampaign } from '../queries.ts';
import { countInBackground, takeSnapshot } from './snapshot.ts';
import { findUncounted, findWithoutSnapshot, storeCount } from './snapshot-queries.ts';

const IDLE_MS = 500;
/** Segments that a process evaluates at once, at most one per company. */
const EVALUATED_AT_ONCE = 2;
/** Delay before a campaign that failed, or that another process is working on, is tried again. */
const RETRY_MS = 2_000;

export interface AudienceWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Called when the recipients of a campaign are known. */
  onKnown: () => void;
}

/**
 * Evaluates segments and counts recipients that took too long for a response. Separate from the worker that starts campaigns
 * and writes their messages, so that a segment that takes minutes delays no other company's campaign.
 */
export function createAudienceWorker({ db, clock, log, onKnown }: AudienceWorkerDeps): Worker {
  async function evaluate({ company_id, id }: CampaignRef): Promise<number> {
    try {
      const done = await takeSnapshot(db, company_id, id);
      if (done > 0) onKnown();
      return done;
    } catch (error) {
      if (!tookTooLong(error)) throw error;
      log.error({ err: error, company_id, campaign_id: id }, 'the segment of a campaign takes too long');
      await db.tenantTx(company_id, async (tx) => {
        const row = await findCampaignForUpdate(tx, company_id, id);
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

  async function count({ company_id, id }: CampaignRef): Promise<number> {
    try {
      return await countInBackground(db, company_id, id, clock.now());
    } catch (error) {
      if (!tookTooLong(error)) throw error;
      log.warn({ err: error, company_id, campaign_id: id }, 'the recipients of a campaign take too long to count');
      await db.tenantTx(company_id, async (tx) => {
        const row = await findCampaignForUpdate(tx, company_id, id);
        if (row !== undefined) await storeCount(tx, company_id, row, null);
      });
      return 1;
    }
  }

  const retryAt = new Map<string, number>();
  const keyOf = ({ company_id, id }: CampaignRef): string => `${company_id}:${id}`;
  const isDue = (one: CampaignRef): boolean => (retryAt.get(keyOf(one)) ?? 0) <= monotonicMs();

  async function work(one: CampaignRef, run: (one: CampaignRef) => Promise<number>): Promise<void> {
    try {
      if ((await run(one)) > 0) return void retryAt.delete(keyOf(one));
    } catch (error) {
      log.error(
        { err: error, company_id: one.company_id, campaign_id: one.id },
        'the audience of a campaign could not be evaluated',
      );
    }
    retryAt.set(keyOf(one), monotonicMs() + RETRY_MS);
  }

  /** One campaign per company, the longest waiting first; evaluations come before counts. */
  async function findDue(): Promise<Map<number, () => Promise<void>>> {
    const due = new Map<number, () => Promise<void>>();
    const add = (found: CampaignRef[], run: (one: CampaignRef) => Promise<number>): void => {
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
    mostIdleMs: RETRY_MS,
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
          share: 1,
          capacity: EVALUATED_AT_ONCE,
        },
        signal,
      );
    },
  });
}
