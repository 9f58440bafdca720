import type { Clock } from '../../../clock.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { Slice } from '../../../lib/slice.ts';
import * as queries from './queries.ts';

/** Ids of events that one statement reads: some 200 ms. */
const EVENTS = 20_000;
/** Contacts whose events one statement goes through. */
const CONTACTS = 500;

/** Reads the events since the last turn. */
export function foldLastActivity(db: Queryable, clock: Clock): Slice<true> {
  return async () => {
    const more = await queries.foldLastActivity(db, EVENTS, clock.now());
    return { done: 1, next: more ? true : null };
  };
}

/** Goes through the events of contacts that were there before it was kept. A worker that dies leaves the rest to the next one. */
export function backfillLastActivity(db: Queryable): Slice<true> {
  return async () => {
    const more = await queries.backfillLastActivity(db, CONTACTS);
    return { done: 1, next: more ? true : null };
  };
}
