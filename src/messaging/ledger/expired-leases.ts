import type { Db } from '../../db/pool.ts';
import { endDoubts } from '../feedback/activity-queries.ts';
import { endExpiredClaims } from './claim-queries.ts';

/** Takes back what dead workers held, and what they were handing over (see endExpiredClaims). Gives how many messages. */
export function takeBackExpired(db: Db, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const ended = await endExpiredClaims(tx, now);
    for (const [companyId, some] of Map.groupBy(ended, (one) => one.company_id)) {
      await endDoubts(
        tx,
        companyId,
        some.map((one) => one.message_id),
        now,
      );
    }
    return ended.length;
  });
}
