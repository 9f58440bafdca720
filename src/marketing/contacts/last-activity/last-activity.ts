import type { Clock } from '../../../clock.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { Slice } from '../../../lib/slice.ts';
import * as queries from './queries.ts';

/** Event ids that one statement scans, about 200 ms of work. */
const EVENTS = 20_000;
/** Contacts whose events one statement scans. */
const CONTACTS = 500;

/** Processes the events since the last turn. */
export function foldLastActivity(db: Queryable, clock: Clock): Slice<true> {
  return async () => {
    const more = await queries.foldLastActivity(db, EVENTS, clock.now());
    return { done: 1, next: more ? true : null };
  };
}

/** Processes the events of a company that was loaded. If a worker dies, the next one continues. */
export function readLoadedActivity(db: Queryable): Slice<true> {
  return async () => {
    const more = await queries.readLoadedActivity(db, CONTACTS);
    return { done: 1, next: more ? true : null };
  };
}
