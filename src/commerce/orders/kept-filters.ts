import { isTimeZone } from '../../access/service.ts';
import { invalidField } from '../../errors.ts';
import type { OrderFilters } from './contract.ts';
import type { KeptFilters } from './list-queries.ts';

/** Returns the filters of a query or a body. Throws if the time zone is unknown. */
export function keptFilters({ status, is_subscription, date_from, date_to, time_zone }: OrderFilters): KeptFilters {
  if (time_zone !== undefined && !isTimeZone(time_zone)) {
    throw invalidField('time_zone', 'time_zone must be an IANA name such as Europe/Berlin', 'unknown');
  }
  const days = { dateFrom: date_from ?? null, dateTo: date_to ?? null, timeZone: time_zone ?? 'UTC' };
  return { status: status ?? null, isSubscription: is_subscription ?? null, days };
}
