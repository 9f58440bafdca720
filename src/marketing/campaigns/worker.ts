import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { inRootSpan } from '../../lib/tracing/spans.ts';
import { type MissingSetting, missingFor } from '../../messaging/send/missing-settings.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { createAudienceWriter } from './audience/audience-writer.ts';
import { findBatchesDue } from './batches/queries.ts';
import { releaseBatch } from './batches/release.ts';
import type { CampaignRef } from './campaign-ref.ts';
import * as due from './due-queries.ts';
import { findSending, findSendingWhilePaused } from './readiness/sendable-queries.ts';
import { findRetrying } from './retry/queries.ts';
import { continueRetry } from './retry/retry.ts';
import { createCampaignStarter } from './starting.ts';
import { chooseWinner } from './variants/winner.ts';
import * as winners from './variants/winner-queries.ts';

const IDLE_MS = 500;
/** Messages per transaction. */
const SKIPPED_AT_ONCE = 5_000;
const GIVEN_AT_ONCE = 5_000;

export interface CampaignWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Missing settings without which nothing can be sent. */
  missing: readonly MissingSetting[];
  /** The same for a company, which may send through its own accounts. */
  missingFor(companyId: number): Promise<readonly MissingSetting[]>;
  /** Called when new messages are in the ledger. */
  onWritten: () => void;
}

/** Finds campaigns that have work to do, and does a bounded part of it for one campaign. */
interface Step {
  find(): Promise<CampaignRef[]>;
  /** Returns 0 if there was nothing to do. */
  work(companyId: number, id: number): Promise<number>;
}

/** Advances campaigns: start, messages, retries, winners, batches, cancellation, completion. */
export function createCampaignWorker({
  db,
  clock,
  log,
  missing,
  missingFor: missingOf,
  onWritten,
}: CampaignWorkerDeps): Worker {
  const { start, pauseUnsendable, pauseWithCompany } = createCampaignStarter({ db, clock, log, missingFor: missingOf });
  const writeTurn = createAudienceWriter({ db, clock, onWritten });
  const unsendable = (['email', 'sms'] as const).filter((type) => missingFor(missing, type, type === 'email'));
  const steps: Step[] = [
    { find: () => due.findDue(db, clock.now()), work: start },
    { find: async () => (unsendable.length === 0 ? [] : findSending(db, unsendable)), work: pauseUnsendable },
    { find: () => findSendingWhilePaused(db), work: pauseWithCompany },
    { find: () => due.findUnwritten(db), work: writeTurn },
    { find: () => findRetrying(db), work: (companyId, id) => continueRetry(db, companyId, id, clock.now()) },
    {
      find: () => winners.findUndecided(db, clock.now()),
      work: (companyId, id) => chooseWinner(db, companyId, id, clock.now()),
    },
    {
      find: () => winners.findWaiting(db),
      work: (companyId, id) => winners.giveWinner(db, companyId, id, { limit: GIVEN_AT_ONCE, now: clock.now() }),
    },
    {
      find: () => findBatchesDue(db, clock.now()),
      work: (companyId, id) => releaseBatch(db, companyId, id, clock.now()),
    },
    {
      find: () => due.findCancelled(db),
      work: (companyId, id) => due.skipCancelled(db, companyId, id, SKIPPED_AT_ONCE, clock.now()),
    },
    {
      find: () => due.findFinished(db),
      work: (companyId, id) =>
        db.tenantTx(companyId, async (tx) => Number(await due.markFinished(tx, companyId, id, clock.now()))),
    },
  ];

  return createWorker({
    name: 'campaigns',
    idleMs: IDLE_MS,
    log,
    nextDue: (after) => due.nextScheduled(db, after),
    async run(signal) {
      let done = 0;
      let failure: unknown;
      for (const { find, work } of steps) {
        for (const { company_id, id } of await find()) {
          if (signal.aborted) return done;
          try {
            const attributes = { 'tradeloom.company.id': company_id, 'tradeloom.campaign.id': id };
            done += await inRootSpan('move campaign on', { attributes }, () => work(company_id, id));
          } catch (error) {
            // A campaign that fails does not delay the others.
            log.error({ err: error, company_id, campaign_id: id }, 'processing a campaign failed');
            failure ??= error;
          }
        }
        if (done > 0) onWritten();
      }
      if (done === 0 && failure !== undefined) throw failure;
      return done;
    },
  });
}
