import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { type MissingSetting, missingFor } from '../../messaging/gate/missing-settings.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { startCampaign, writeChunk } from './audience/audience.ts';
import * as audience from './audience/queries.ts';
import { incompleteFields } from './completeness.ts';
import { countsOf } from './counts.ts';
import {
  type CampaignRow,
  findCounts,
  findMissing,
  lockCampaign,
  type Missing,
  namesOf,
  updateCampaign,
} from './queries.ts';
import { findRetrying } from './retry/queries.ts';
import { continueRetry } from './retry/retry.ts';
import { MISSED_MS } from './schedule.ts';
import { findMissingSetting } from './sendable.ts';
import { findSending } from './sendable-queries.ts';
import { winnerOf } from './variants/variants.ts';
import * as winners from './variants/winner-queries.ts';

const IDLE_MS = 500;
const SKIPPED_AT_ONCE = 5_000;
const GIVEN_AT_ONCE = 5_000;
/** So long one campaign's audience is written before the next has its turn. */
const WRITING_MS = 1_000;

export interface CampaignWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Settings without which nothing goes out. */
  missing: readonly MissingSetting[];
  /** New messages are in the ledger. */
  onWritten: () => void;
}

/** Starts campaigns at their time, writes their audiences, queues again what failed, chooses winners, skips what was cancelled, and says when all is sent. */
export function createCampaignWorker({ db, clock, log, missing, onWritten }: CampaignWorkerDeps): Worker {
  /** One that could not start for too long waits for a person: they may not want it any more. */
  async function start(companyId: number, id: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const now = clock.now();
      const row = await lockCampaign(tx, companyId, id);
      if (row?.status !== 'scheduled' || row.scheduled_at === null || row.scheduled_at > now) return 0;
      if (now.getTime() - row.scheduled_at.getTime() > MISSED_MS) {
        await updateCampaign(tx, companyId, { ...row, status: 'paused', reason: 'missed_schedule' }, now);
        log.warn({ company_id: companyId, campaign_id: id }, 'a campaign missed its time and is paused');
        return 1;
      }
      const setting = await findMissingSetting(tx, companyId, row, missing);
      if (setting !== null) return pauseFor(tx, companyId, row, setting);
      const gone =
        whatIsGone(await findMissing(tx, companyId, namesOf(row))) ??
        // By its template, which may have lost its subject.
        ((await incompleteFields(tx, companyId, row)).length > 0 ? 'incomplete' : null);
      if (gone === null) {
        await startCampaign(tx, companyId, row, now);
      } else {
        await updateCampaign(tx, companyId, { ...row, status: 'failed', reason: gone, finished_at: now }, now);
        log.warn({ company_id: companyId, campaign_id: id, reason: gone }, 'a campaign could not start');
      }
      return 1;
    });
  }

  /** It goes on when a person says so, once the setting is there: by then they may not want it any more. */
  async function pauseFor(tx: Tx, companyId: number, row: CampaignRow, setting: MissingSetting): Promise<number> {
    await updateCampaign(tx, companyId, { ...row, status: 'paused', reason: setting.cause }, clock.now());
    log.warn({ company_id: companyId, campaign_id: row.id, setting: setting.name }, 'a campaign is paused: not set');
    return 1;
  }

  /** One that was begun with other settings. */
  async function pause(companyId: number, id: number): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      const row = await lockCampaign(tx, companyId, id);
      const setting = row?.status === 'sending' ? missingFor(missing, row.type, row.type === 'email') : null;
      return setting === null ? 0 : pauseFor(tx, companyId, row!, setting);
    });
  }

  /**
   * By two transactions at once: one keeps no more than one processor busy. Both have their connection before any lock is
   * taken, since whoever waits for those locks has connections too.
   */
  async function writeBy(companyId: number, id: number, written: audience.Written): Promise<number> {
    return db.tenantTx(companyId, async (beside) => {
      await Promise.all([audience.flushLater(beside), audience.waitForOther(beside)]);
      let failure: unknown;
      return db.tenantTx(companyId, async (tx) => {
        // Repeated are both or neither: the one beside may be over.
        if (failure !== undefined) throw failure;
        try {
          return await writeNext(tx, beside, companyId, id, written);
        } catch (error) {
          failure = error;
          throw error;
        }
      });
    });
  }

  async function writeNext(
    tx: Tx,
    beside: Tx,
    companyId: number,
    id: number,
    written: audience.Written,
  ): Promise<number> {
    const row = await lockCampaign(tx, companyId, id);
    const open = row?.status === 'sending' || row?.status === 'paused';
    if (!open || row.started_at === null || row.recipients !== null) return 0;
    await audience.flushLater(tx);
    await writeChunk(tx, companyId, row, { now: clock.now(), written, beside });
    return 1;
  }

  /** Nearly always nobody of the next part is in the ledger; after a crash some of them are, or who was merged with them. */
  async function write(companyId: number, id: number): Promise<number> {
    try {
      return await writeBy(companyId, id, 'none');
    } catch (error) {
      if (!audience.wereWritten(error)) throw error;
      return writeBy(companyId, id, 'some');
    }
  }

  /** Part after part, the sender beginning meanwhile; for a while, so that every campaign has its turn. */
  async function writeSome(companyId: number, id: number): Promise<number> {
    const ends = monotonicMs() + WRITING_MS;
    let done = 0;
    while (monotonicMs() < ends) {
      const written = await write(companyId, id);
      if (written === 0) break;
      done += written;
      onWritten();
    }
    return done;
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

  const unsendable = (['email', 'sms'] as const).filter((type) => missingFor(missing, type, type === 'email'));
  const steps: { find: () => Promise<audience.Place[]>; work: (companyId: number, id: number) => Promise<number> }[] = [
    { find: () => audience.findDue(db, clock.now()), work: start },
    { find: async () => (unsendable.length === 0 ? [] : findSending(db, unsendable)), work: pause },
    { find: () => audience.findUnwritten(db), work: writeSome },
    { find: () => findRetrying(db), work: (companyId, id) => continueRetry(db, companyId, id, clock.now()) },
    { find: () => winners.findUndecided(db, clock.now()), work: decide },
    {
      find: () => winners.findWaiting(db),
      work: (companyId, id) => winners.giveWinner(db, companyId, id, { limit: GIVEN_AT_ONCE, now: clock.now() }),
    },
    {
      find: () => audience.findCancelled(db),
      work: (companyId, id) => audience.skipCancelled(db, companyId, id, SKIPPED_AT_ONCE, clock.now()),
    },
    {
      find: () => audience.findFinished(db),
      work: (companyId, id) =>
        db.tenantTx(companyId, async (tx) => Number(await audience.markFinished(tx, companyId, id, clock.now()))),
    },
  ];

  return createWorker({
    name: 'campaigns',
    idleMs: IDLE_MS,
    log,
    nextDue: () => audience.nextScheduled(db, clock.now()),
    async run(signal) {
      let done = 0;
      let failure: unknown;
      for (const { find, work } of steps) {
        for (const { company_id, id } of await find()) {
          if (signal.aborted) return done;
          try {
            done += await work(company_id, id);
          } catch (error) {
            // One that cannot go on holds up no other.
            log.error({ err: error, company_id, campaign_id: id }, 'a campaign could not go on');
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

/** Why a campaign cannot start: what it names was deleted after it was scheduled. */
function whatIsGone({ list, segment, templates }: Missing): string | null {
  if (list) return 'list_deleted';
  if (segment) return 'segment_deleted';
  return templates.length > 0 ? 'template_deleted' : null;
}
