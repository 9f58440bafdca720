import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { startCampaign, writeChunk } from './audience.ts';
import * as audience from './audience-queries.ts';
import { countsOf } from './counts.ts';
import { findCounts, lockCampaign, updateCampaign } from './queries.ts';
import { MISSED_MS } from './schedule.ts';
import { winnerOf } from './variants.ts';
import * as winners from './winner-queries.ts';

const IDLE_MS = 500;
const SKIPPED_AT_ONCE = 5_000;
const GIVEN_AT_ONCE = 5_000;

export interface CampaignWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  /** New messages are in the ledger. */
  onWritten: () => void;
}

/** Starts campaigns at their time, writes their audiences, chooses winners, skips what was cancelled, and says when all is sent. */
export function createCampaignWorker({ db, clock, log, onWritten }: CampaignWorkerDeps): Worker {
  /** One that could not start for too long waits for a person: they may not want it any more. */
  async function start(companyId: number, id: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const now = clock.now();
      const row = await lockCampaign(tx, companyId, id);
      if (row?.status !== 'scheduled' || row.scheduled_at === null || row.scheduled_at > now) return 0;
      if (now.getTime() - row.scheduled_at.getTime() > MISSED_MS) {
        await updateCampaign(tx, companyId, { ...row, status: 'paused', reason: 'missed_schedule' }, now);
        log.warn({ company_id: companyId, campaign_id: id }, 'a campaign missed its time and is paused');
      } else {
        await startCampaign(tx, companyId, row, now);
      }
      return 1;
    });
  }

  async function write(companyId: number, id: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const row = await lockCampaign(tx, companyId, id);
      const open = row?.status === 'sending' || row?.status === 'paused';
      if (!open || row.started_at === null || row.recipients !== null) return 0;
      await writeChunk(tx, companyId, row, clock.now());
      return 1;
    });
  }

  async function decide(companyId: number, id: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const row = await lockCampaign(tx, companyId, id);
      if (row?.status !== 'sending' || row.ab_test === null || row.winner !== null) return 0;
      const counts = await findCounts(tx, companyId, [id]);
      // Amounts are compared with each other alone: their currency's exponent is no matter.
      const winner = winnerOf(row.variants, row.ab_test.metric, (key) => countsOf(counts, id, 0, key));
      await updateCampaign(tx, companyId, { ...row, winner }, clock.now());
      return 1;
    });
  }

  return createWorker({
    name: 'campaigns',
    idleMs: IDLE_MS,
    log,
    nextDue: () => audience.nextScheduled(db, clock.now()),
    async run(signal) {
      let done = 0;
      for (const { company_id, id } of await audience.findDue(db, clock.now())) done += await start(company_id, id);
      for (const { company_id, id } of await audience.findUnwritten(db)) {
        if (signal.aborted) return done;
        done += await write(company_id, id);
      }
      for (const { company_id, id } of await winners.findUndecided(db, clock.now()))
        done += await decide(company_id, id);
      for (const { company_id, id } of await winners.findWaiting(db)) {
        done += await winners.giveWinner(db, company_id, id, { limit: GIVEN_AT_ONCE, now: clock.now() });
      }
      if (done > 0) onWritten();
      for (const { company_id, id } of await audience.findCancelled(db)) {
        done += await audience.skipCancelled(db, company_id, id, SKIPPED_AT_ONCE, clock.now());
      }
      for (const { company_id, id } of await audience.findFinished(db)) {
        const finished = await db.tenantTx(company_id, (tx) => audience.markFinished(tx, company_id, id, clock.now()));
        done += Number(finished);
      }
      return done;
    },
  });
}
