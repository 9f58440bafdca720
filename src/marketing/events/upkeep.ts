import { randomInt } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { placeAt, type RemovalSlice, type Removed } from '../../db/removal.ts';
import { sql } from '../../db/sql.ts';

/** How long a statement may take: the first run over a month of millions of events takes 30 s. */
const STATEMENT_MS = 600_000;

/**
 * The received_at up to which events are counted in `event_totals`; null before the first run. Valid only in the same snapshot.
 */
export async function findAddedUpTo(tx: Tx): Promise<Date | null> {
  const rows = await tx.query<{ added_up_to: Date | null }>(sql`
    select nullif(events_added_up_to(), '-infinity') as added_up_to`);
  return rows[0]!.added_up_to;
}

/**
 * Adds the events of past days to the totals of each contact (see event_totals), at most a month at a time; returns
 * whether more remain.
 */
export function addUpEvents(db: Db, now: Date): Promise<boolean> {
  return db.tx(async (tx) => {
    await tx.limitStatements(STATEMENT_MS);
    const rows = await tx.query<{ more: boolean }>(sql`select add_up_events(${now}) as more`);
    return rows[0]!.more;
  });
}

/**
 * Removes events that were received before `before` and are counted in `event_totals`; the totals stay. Their keys expired long
 * ago: since then, an event with the same id counts as a new one.
 */
export async function removeEvents(tx: Tx, { companyId, before, place, limit }: RemovalSlice): Promise<Removed> {
  const [row] = await tx.query<{ removed: number; last: number | null; looked: number }>(sql`
    with old as materialized (
      select event_id, received_at from events
      where company_id = ${companyId} and event_id > ${place?.id ?? 0} and received_at < ${before}
        and received_at < (select events_added_up_to())
      order by event_id limit ${limit}
    ),
    gone as (
      delete from events e using old
      where e.company_id = ${companyId} and e.event_id = old.event_id and e.received_at = old.received_at
        and e.received_at < ${before}
      returning 1
    )
    select (select count(*) from gone) as removed, max(event_id) as last, count(*) as looked from old`);
  const { removed, last, looked } = row!;
  return { removed, next: looked < limit ? null : placeAt(last!) };
}

/** Removes records of events that paused flows missed so long ago that the events themselves are gone. */
export async function removeMissedEvents(tx: Tx, { companyId, before, limit }: RemovalSlice): Promise<Removed> {
  const rows = await tx.query(sql`
    delete from flow_missed_events where company_id = ${companyId} and ctid = any(array(
      select ctid from flow_missed_events where company_id = ${companyId} and received_at < ${before}
      limit ${limit} for update skip locked))
    returning 1`);
  return { removed: rows.length, next: rows.length < limit ? null : placeAt(0) };
}

/** Removes the oldest month of events that no company still needs; returns its name, or null if there is none. */
export async function dropMonth(db: Queryable, until: Date, wantedBy: number[]): Promise<string | null> {
  const rows = await db.query<{ month: string | null }>(sql`
    select drop_month_of_events(${until}, ${wantedBy}::bigint[]) as month`);
  return rows[0]!.month;
}

/** Minimum number of pages of the key table per step: 8 MiB, about 90,000 keys. */
const MIN_PAGES = 1_024;
/** Maximum number of pages per statement. */
const MAX_PAGES = 1_024;
/** The number of steps that scan a table of any size. */
const STEPS = 1_440;

/**
 * Deletes expired event keys: each step scans the next slice of the key table and returns the number of deleted keys. With
 * one step a minute, a key is deleted within a day of its expiry; until then its only effect is that `claimKeys`
 * must reuse its row. Starts at a random page, so that processes that live less than a day also reach the end.
 */
export function createKeyPurge(db: Queryable, clock: Clock, minPages = MIN_PAGES): () => Promise<number> {
  let next: number | undefined;
  return async () => {
    const pages = await countKeyPages(db);
    if (next === undefined) next = randomInt(pages + 1);
    if (next >= pages) next = 0;
    const first = next;
    next += Math.max(minPages, Math.ceil(pages / STEPS));
    let removed = 0;
    for (let from = first; from < next; from += MAX_PAGES) {
      removed += await purgeKeys(db, clock.now(), from, Math.min(from + MAX_PAGES, next));
    }
    return removed;
  };
}

/** The number of pages of the key table. */
async function countKeyPages(db: Queryable): Promise<number> {
  const rows = await db.query<{ pages: number }>(sql`
    select pg_relation_size('event_keys') / current_setting('block_size')::int as pages`);
  return rows[0]!.pages;
}

/**
 * Deletes expired keys of every company in the pages from `first` (inclusive) to `end` (exclusive); returns their number.
 * Skips keys that events are claiming again.
 */
async function purgeKeys(db: Queryable, now: Date, first: number, end: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with old as (
      select ctid from event_keys
      where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${end},0)`}::tid and expires_at <= ${now}
      for update skip locked
    ),
    gone as (delete from event_keys k using old where k.ctid = old.ctid returning 1)
    select count(*) as n from gone`);
  return rows[0]!.n;
}
