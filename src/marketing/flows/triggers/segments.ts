import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { withinMs } from '../../../db/time-limit.ts';
import type { Slice } from '../../../lib/slice.ts';
import { eachCompany } from '../../../work/sets.ts';
import type { Wake } from '../../../work/worker-names.ts';
import { disableJit, segmentCondition } from '../../segments/service.ts';
import * as queries from './segment-queries.ts';

/** How often a segment is compared. */
const EVERY_MS = 10 * 60_000;
/** Contacts that one transaction notes as joined, and as left. */
const CONTACTS = 5_000;
/** As many as segments have for their daily counts. */
const LIMIT_MS = 5_000;
/** A chore is not interrupted within a slice. */
const NEVER = new AbortController().signal;

/**
 * Writes `segment_joined` for contacts that are in a segment now and were not when it was last compared, for segments that flows wait for.
 * The first comparison notes the members without events, and so does one after the segment's rules have changed. A contact that joined is
 * noted in the transaction that writes its event. See docs/design/flows.md.
 */
export function raiseJoins({ db, clock, log, wake }: { db: Db; clock: Clock; log: Logger; wake: Wake }): Slice<true> {
  async function compare({ companyId, segmentId }: queries.WatchedSegment): Promise<number> {
    const now = clock.now();
    return db.tenantTx(companyId, async (tx) => {
      const progress = await queries.lockSegment(tx, companyId, segmentId);
      if (progress === undefined || !isDue(progress, now)) return 0;
      await disableJit(tx);
      const condition = await segmentCondition(tx, companyId, segmentId, now, 'current');
      const comparison = { segmentId, condition, announces: progress.isBased, limit: CONTACTS };
      const more = await withinMs(tx, LIMIT_MS, () => queries.compareMembers(tx, companyId, comparison, now));
      if (more === undefined) {
        log.warn({ company_id: companyId, segment_id: segmentId }, 'a segment took too long to compare');
        await queries.markCompared(tx, companyId, segmentId, now);
      }
      return 1;
    });
  }

  function forget({ companyId, segmentId }: queries.WatchedSegment): Promise<number> {
    return db.tenantTx(companyId, async (tx) => {
      await queries.forgetSegment(tx, companyId, segmentId, CONTACTS);
      return 1;
    });
  }

  return async () => {
    const due = await queries.findDueSegments(db, new Date(clock.now().getTime() - EVERY_MS));
    const done = await eachCompany(due, NEVER, compare);
    if (done > 0) wake('outbox');
    const forgotten = await eachCompany(await queries.findForsakenSegments(db), NEVER, forget);
    return { done: done + forgotten, next: done + forgotten > 0 ? true : null };
  };
}

function isDue({ comparedAt }: queries.SegmentProgress, now: Date): boolean {
  return comparedAt === null || now.getTime() - comparedAt.getTime() >= EVERY_MS;
}
