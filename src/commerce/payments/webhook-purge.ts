import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { purgeByAge } from '../../db/purge.ts';
import type { Slice } from '../../lib/slice.ts';

/** How long a webhook is known, so that it is not processed twice. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Deletes old webhooks of payment services. */
export function purgePaymentWebhooks(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - KEPT_MS);
  return purgeByAge(db, { table: 'payment_webhook_events', column: 'received_at', before });
}
