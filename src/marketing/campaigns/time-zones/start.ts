import type { Queryable } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import type { CampaignRow } from '../queries.ts';
import { inFirstZone } from './local-time.ts';
import { findCompanyZone } from './queries.ts';

/** When a campaign starts; null if it has no time. */
export function startsAt({
  first_zone_at,
  scheduled_at,
}: Pick<CampaignRow, 'first_zone_at' | 'scheduled_at'>): Date | null {
  return first_zone_at ?? scheduled_at;
}

/**
 * When a campaign that is sent by each contact's time zone starts: at its wall-clock time in the first time zone. The wall-clock time
 * is that of `scheduled_at` in `timezone`, or in the company's zone without one. Null for other campaigns, and without a time.
 * Throws validation_failed if that time has passed in the first zone already.
 */
export async function findFirstZoneMoment(
  db: Queryable,
  companyId: number,
  { send_in_contact_time_zone, scheduled_at }: Pick<CampaignRow, 'send_in_contact_time_zone' | 'scheduled_at'>,
  { timezone, now }: { timezone: string | undefined; now: Date },
): Promise<Date | null> {
  if (!send_in_contact_time_zone || scheduled_at === null) return null;
  const first = inFirstZone(scheduled_at, timezone ?? (await findCompanyZone(db, companyId)));
  if (first >= now) return first;
  throw invalidField(
    'scheduled_at',
    `scheduled_at is too early for send_in_contact_time_zone: the first time zone (UTC+14) reached it at ${formatTimestamp(first)} (UTC)`,
    'out_of_range',
  );
}
