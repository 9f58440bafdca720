import type { Direction } from '../lib/sorting.ts';
import { orderBy } from './lists.ts';
import type { Queryable } from './pool.ts';
import { emptySql, rawSql, type Statement, sql, unprepared } from './sql.ts';

/** What precedes the id in the order. */
export interface WalkedKey {
  value: Statement;
  type: 'text' | 'bigint' | 'timestamptz' | 'date';
  /** Position of records without a value; absent where each has one. */
  nulls?: 'last' | 'first where descending';
}

/** A set that is read from one end to the other. */
export interface WalkedSet {
  /** FROM and WHERE; more conditions are appended. */
  from: Statement;
  id: Statement;
  key: WalkedKey | null;
  /** Ids read at a time, where not the default: a set whose cost does not depend on how much is read costs it for each part. */
  readAtOnce?: number;
}

/** Where a part ends. The key is text, which keeps a timestamp's microseconds. */
interface Place {
  id: number;
  key: string | null;
}

/** Ids read at a time: a set that no index has in its order is sorted once for each part. */
const READ_AT_ONCE = 2_000;
/** The maximum page size of the APIs. */
const PER_PAGE = 100;

/**
 * Yields the ids of a sorted set, in pages. Each part is found after the last record of the part before, by a statement
 * of its own: nothing is held between them but some ids, however long the set is. A record whose key changes meanwhile
 * may appear at both positions or at neither.
 */
export async function* walkSorted(db: Queryable, set: WalkedSet, direction: Direction): AsyncGenerator<number[]> {
  for (const part of partsOf(set.key, direction)) {
    for (let place: Place | null = null; ; ) {
      const found: Place[] = await readBehind(db, set, { direction, part, place });
      for (let start = 0; start < found.length; start += PER_PAGE)
        yield found.slice(start, start + PER_PAGE).map(({ id }) => id);
      if (found.length < (set.readAtOnce ?? READ_AT_ONCE)) break;
      place = found.at(-1)!;
    }
  }
}

/** Records with a key and those without one are read separately: a comparison with null is neither true nor false. */
type Part = 'all' | 'keyed' | 'keyless';

function partsOf(key: WalkedKey | null, direction: Direction): Part[] {
  if (key?.nulls === undefined) return ['all'];
  return key.nulls === 'last' || direction === 'asc' ? ['keyed', 'keyless'] : ['keyless', 'keyed'];
}

async function readBehind(
  db: Queryable,
  { from, id, key, readAtOnce = READ_AT_ONCE }: WalkedSet,
  { direction, part, place }: { direction: Direction; part: Part; place: Place | null },
): Promise<Place[]> {
  const value = part === 'keyless' || key === null ? null : key.value;
  const inPart =
    part === 'all' ? emptySql : sql`and ${key!.value} ${rawSql(part === 'keyed' ? 'is not null' : 'is null')}`;
  const isBehind = rawSql(direction === 'asc' ? '>' : '<');
  const behind =
    place === null
      ? emptySql
      : value === null
        ? sql`and ${id} ${isBehind} ${place.id}`
        : sql`and (${value}, ${id}) ${isBehind} (${place.key}::text::${rawSql(key!.type)}, ${place.id}::bigint)`;
  // Not prepared: how much of the set remains under these values determines the best plan.
  return db.query<Place>(
    unprepared(sql`
      select ${id} as id, ${value === null ? rawSql('null') : sql`(${value})::text`} as key
      ${from} ${inPart} ${behind} ${orderBy({ key: value, id }, direction)} limit ${readAtOnce}`),
  );
}
