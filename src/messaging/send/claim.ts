import type { Db } from '../../db/pool.ts';
import { resolveUnknown } from '../feedback/activity-queries.ts';
import { type ClaimedMessage, LANES } from '../ledger/message.ts';
import { type Claim, claimMessages, type DueWork, endExpiredClaims, lockClaims } from './claim-queries.ts';

/** The first stage of sending: which due messages a worker takes, and how they become free again when it dies. */

/** Minimum for lower lanes, however much is due in the lanes before them. */
const LEAST_FOR_LOWER_LANES = 20;

/** Starts with other work each time, so that no company is always the last of its lane. */
export function rotate<Work extends DueWork>(work: Work[], by: number): Work[] {
  return byLane(work).flatMap((lane) => lane.map((_, i) => lane[(i + by) % lane.length]!));
}

/**
 * Divides a batch among the due work. The first lane with any gets a whole batch and each other lane a tenth of one, so that none
 * starves. Work within a lane shares evenly.
 */
export function shareOut<Work extends DueWork>(work: Work[], size: number): { work: Work; limit: number }[] {
  const lanes = byLane(work);
  const first = lanes.findIndex((lane) => lane.length > 0);
  return lanes.flatMap((lane, i) => {
    const room = i === first ? size : Math.max(LEAST_FOR_LOWER_LANES, Math.ceil(size / 10));
    const limit = Math.ceil(room / lane.length);
    return lane.slice(0, room).map((one) => ({ work: one, limit }));
  });
}

function byLane<Work extends DueWork>(work: Work[]): Work[][] {
  return Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
}

export interface Claims {
  take(work: DueWork, claim: Omit<Claim, 'behind'>): Promise<ClaimedMessage[]>;
  /** From now on, each campaign is searched from its beginning again. */
  startOver(): void;
}

export function createClaims(db: Db): Claims {
  /**
   * How far each campaign has been claimed. Starting after that point skips held messages and index entries of sent ones. A message
   * released or postponed before that point waits until `startOver`.
   */
  const reached = new Map<string, ClaimedMessage>();

  async function take(work: DueWork, claim: Omit<Claim, 'behind'>): Promise<ClaimedMessage[]> {
    const { company_id: companyId, campaign_id: campaignId } = work;
    const key = `${companyId} ${campaignId}`;
    const behind = campaignId === null ? null : (reached.get(key) ?? null);
    const claimed = await db.tenantTx(companyId, async (tx) => {
      const locked = lockClaims(tx, work);
      const taken = claimMessages(tx, work, { ...claim, behind });
      await tx.commitAfter([locked, taken]);
      return taken;
    });
    if (campaignId !== null && claimed.length === claim.limit) reached.set(key, claimed.reduce(laterOf));
    else reached.delete(key);
    // Nothing is left after that point, but something may be left before it.
    return claimed.length === 0 && behind !== null ? take(work, claim) : claimed;
  }

  return { take, startOver: () => reached.clear() };
}

function laterOf(one: ClaimedMessage, other: ClaimedMessage): ClaimedMessage {
  const order = one.dueAt.getTime() - other.dueAt.getTime() || one.id - other.id;
  return order > 0 ? one : other;
}

/** Ends the expired leases of dead workers (see endExpiredClaims). Returns the number of messages. */
export function takeBackExpired(db: Db, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const ended = await endExpiredClaims(tx, now);
    for (const [companyId, some] of Map.groupBy(ended, (one) => one.company_id)) {
      await resolveUnknown(
        tx,
        companyId,
        some.map((one) => one.message_id),
        now,
      );
    }
    return ended.length;
  });
}
