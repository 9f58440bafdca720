import type { Tx } from '../../../db/pool.ts';
import { UNTIL_RELEASED } from '../../../messaging/ledger/message.ts';
import { zoneOfContact } from '../../../recipients/time-zone.ts';
import type { Audience } from '../audience/recipient-queries.ts';
import { localMoment } from './local-time.ts';
import { findCompanyZone, findContactZones } from './queries.ts';

/** When the messages of a chunk are due. `moments` has each time once. */
export interface DueTimes {
  moments: Date[];
  /** The position of the recipient's moment in `moments`, from 1. */
  placeOf: (contactId: number) => number;
}

/**
 * By each contact's time zone, or that of the company without one. Messages in batches wait to be released. Campaigns that go to all at once
 * are due `now`.
 */
export async function findDueTimes(
  tx: Tx,
  { companyId, campaign }: Audience,
  contactIds: readonly number[],
  now: Date,
): Promise<DueTimes> {
  if (campaign.batches !== null) return { moments: [UNTIL_RELEASED], placeOf: () => 1 };
  const first = campaign.first_zone_at;
  if (first === null) return { moments: [now], placeOf: () => 1 };
  const [company, zones] = await Promise.all([
    findCompanyZone(tx, companyId),
    findContactZones(tx, companyId, contactIds),
  ]);
  const moments = [localMoment(first, company)];
  const places = new Map<number, number>();
  const placeOfZone = new Map<string, number>();
  for (const sources of zones) {
    const zone = zoneOfContact(sources);
    if (zone === null) continue;
    const place = placeOfZone.get(zone) ?? moments.push(localMoment(first, zone));
    placeOfZone.set(zone, place);
    for (const id of sources.ids) places.set(id, place);
  }
  return { moments, placeOf: (id) => places.get(id) ?? 1 };
}
