import type { Db } from '../../db/pool.ts';
import { type Claim, claimMessages, lockClaims } from './claim-queries.ts';
import type { DueWork } from './due-queries.ts';
import type { ClaimedMessage } from './message.ts';

/** Claims messages at a place that has due work. */
export interface Claims {
  take(work: DueWork, claim: Omit<Claim, 'behind'>): Promise<ClaimedMessage[]>;
  /** From now on, each place is searched from its beginning again. */
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
    const place = `${companyId} ${campaignId}`;
    const behind = campaignId === null ? null : (reached.get(place) ?? null);
    const claimed = await db.tenantTx(companyId, async (tx) => {
      const locked = lockClaims(tx, work);
      const taken = claimMessages(tx, work, { ...claim, behind });
      await tx.commitAfter([locked, taken]);
      return taken;
    });
    if (campaignId !== null && claimed.length === claim.limit) reached.set(place, claimed.reduce(laterOf));
    else reached.delete(place);
    // Nothing is left after that point, but something may be left before it.
    return claimed.length === 0 && behind !== null ? take(work, claim) : claimed;
  }

  return { take, startOver: () => reached.clear() };
}

function laterOf(one: ClaimedMessage, other: ClaimedMessage): ClaimedMessage {
  const order = one.dueAt.getTime() - other.dueAt.getTime() || one.id - other.id;
  return order > 0 ? one : other;
}
