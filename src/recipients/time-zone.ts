import { rawSql } from '../db/sql.ts';
import { isZone, zoneOfAddress } from '../lib/time-zones/time-zones.ts';

/** What says the time zone of a contact; each may be any text. */
export interface ZoneSources {
  /** Of its properties. */
  zone: string | null;
  /** Of the customer's address in the shop, otherwise of its properties. */
  country: string | null;
  state: string | null;
}

/** Selects the ZoneSources of contacts (alias c), with the join below. Longer texts than these are neither a zone nor a place. */
export const zoneSources = rawSql(`
  left(coalesce(c.properties ->> 'timezone', c.properties ->> 'time_zone'), 100) as zone,
  left(coalesce(u.country, c.properties ->> 'country'), 100) as country,
  left(case when u.country is not null then u.state
    else coalesce(c.properties ->> 'state', c.properties ->> 'region') end, 100) as state`);

/** Joins the customers (alias u) who have an address to contacts (alias c). */
export const joinAddresses = rawSql(`
  left join customers u on u.company_id = c.company_id and u.country <> ''
    and u.id = case when c.external_id ~ '^[1-9][0-9]{0,14}$' then c.external_id::bigint end`);

/** The contact's time zone: the valid one in its properties, otherwise that of its address; null where neither says it. */
export function zoneOfContact({ zone, country, state }: ZoneSources): string | null {
  if (zone !== null && isZone(zone)) return zone;
  return country === null ? null : zoneOfAddress(country, state);
}
