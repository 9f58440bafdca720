import type { Db } from '../../db/pool.ts';
import { resolveUnknown } from '../feedback/activity-queries.ts';
import { endExpiredClaims } from './claim-queries.ts';

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
