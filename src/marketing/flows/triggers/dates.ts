import { Temporal } from 'temporal-polyfill';
import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import type { Slice } from '../../../lib/slice.ts';
import { eachCompany } from '../../../work/sets.ts';
import type { Wake } from '../../../work/worker-names.ts';
import { dateFieldOf, type TriggerSettings } from '../definition/trigger.ts';
import * as queries from './date-queries.ts';

/** Contacts that one transaction reads. */
const CONTACTS = 5_000;
/** After a standstill, the dates of that many days are made up for. */
const CATCH_UP_DAYS = 3;
/** A chore is not interrupted within a slice. */
const NEVER = new AbortController().signal;

/**
 * Writes `date_reached` for the contacts whose date flows wait for: once a day, at the time of the trigger, the contacts are read in the
 * order of their ids. The transaction that writes the events notes how far it read, and its lock keeps other processes away: so each
 * contact is read once a day. See docs/design/flows.md.
 */
export function raiseDates({ db, clock, wake }: { db: Db; clock: Clock; wake: Wake }): Slice<true> {
  async function raiseSet({ companyId, flowId, settings, since, zone }: queries.DatedFlow): Promise<number> {
    const now = clock.now();
    return db.tenantTx(companyId, async (tx) => {
      // What was due before the version was made is not made up for.
      const flow = await queries.lockDatedFlow(tx, companyId, flowId, lastDueDay(settings, zone, since));
      const next = flow && nextRead(flow, now);
      if (!flow || next == null) return 0;
      const { date_field: name = '', days = 0, yearly = false } = flow.settings;
      const field = dateFieldOf(name);
      if (field === null) throw new Error(`The flow ${flowId} waits for no date: ${name}`);
      const date = shifted(next.day, -days);
      const scan = { flowId, name, field, ...next, date, yearly, days, zone: flow.zone, limit: CONTACTS };
      await queries.raiseNext(tx, companyId, scan, now);
      return 1;
    });
  }

  return async () => {
    const now = clock.now();
    const due = (await queries.findDatedFlows(db)).filter((flow) => flow.day === null || nextRead(flow, now) !== null);
    const done = await eachCompany(due, NEVER, raiseSet);
    if (done > 0) wake('outbox');
    return { done, next: done > 0 ? true : null };
  };
}

/** The day to read, and the contact after which to go on; null if nothing is due. */
function nextRead(
  { settings, zone, day, place }: Pick<queries.DatedFlow, 'settings' | 'zone' | 'day' | 'place'>,
  now: Date,
): { day: string; after: number } | null {
  if (day !== null && place !== null) return { day, after: place };
  const last = lastDueDay(settings, zone, now);
  if (day !== null && day >= last) return null;
  const oldest = shifted(last, 1 - CATCH_UP_DAYS);
  const following = day === null ? last : shifted(day, 1);
  if (following < oldest) return { day: oldest, after: 0 };
  return { day: following, after: 0 };
}

/** The last day in the zone, YYYY-MM-DD, whose time of the trigger has come. */
export function lastDueDay({ time = '00:00' }: Pick<TriggerSettings, 'time'>, zone: string, now: Date): string {
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  const today = here.toPlainDate();
  const at = today.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(time) });
  return (at.epochMilliseconds <= now.getTime() ? today : today.subtract({ days: 1 })).toString();
}

function shifted(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}
