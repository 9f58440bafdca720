import type { Db, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { MasterKey } from '../master-key.ts';
import { candidates, resealed, SEALED_COLUMNS, type SealedColumn, type Stored } from './sealed-columns.ts';

/** Pages of a table per transaction: at most a few thousand small rows, locked for tens of milliseconds. */
const PAGES = 32;
/** Reading a whole table may take longer than other statements; nothing is locked meanwhile. */
const LOOK_MS = 600_000;

/**
 * Seals everything sealed with an older key again, in short transactions; returns how many values. Rows locked by others are left for the
 * next run. If interrupted at any point, it has sealed some values again and damaged none.
 */
export async function resealAll(db: Db, masterKey: MasterKey, version: number): Promise<number> {
  let done = 0;
  for (const column of SEALED_COLUMNS) {
    const [{ pages } = { pages: 0 }] = await db.query<{ pages: number }>(
      sql`select (pg_relation_size(${column.table}::regclass) / current_setting('block_size')::int)::int as pages`,
    );
    for (let from = 0; from < pages; from += PAGES) {
      done += await db.tx((tx) => resealPages(tx, column, { from, masterKey, version }));
    }
  }
  return done;
}

async function resealPages(
  tx: Tx,
  sealed: SealedColumn,
  { from, masterKey, version }: { from: number; masterKey: MasterKey; version: number },
): Promise<number> {
  const [table, column] = [rawSql(sealed.table), rawSql(sealed.column)];
  const rows = await tx.query<{ place: string; value: Stored }>(sql`
    select ctid::text as place, ${column} as value from ${table}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + PAGES},0)`}::tid
      and ${rawSql(candidates(sealed, version))} for update skip locked`);
  const fresh = rows.flatMap(({ place, value }) => {
    const now = resealed(value, sealed, masterKey, version);
    return now === undefined ? [] : [{ place, now }];
  });
  if (fresh.length === 0) return 0;
  const type = rawSql({ bytes: 'bytea', base64: 'text', marked: 'text', json: 'jsonb' }[sealed.form]);
  await tx.query(sql`
    update ${table} set ${column} = fresh.value
    from unnest(${fresh.map(({ place }) => place)}::text[], ${fresh.map(({ now }) => now)}::${type}[]) fresh (place, value)
    where ctid = fresh.place::tid`);
  return fresh.length;
}

/** Counts the values sealed with an older key; each table is read in one snapshot. */
export async function countOlder(db: Db, masterKey: MasterKey, version: number): Promise<number> {
  let older = 0;
  for (const sealed of SEALED_COLUMNS) {
    const rows = await db.tx(async (tx) => {
      await tx.limitStatements(LOOK_MS);
      return tx.query<{ value: Stored }>(sql`
        select ${rawSql(sealed.column)} as value from ${rawSql(sealed.table)}
        where ${rawSql(candidates(sealed, version))}`);
    });
    older += rows.filter(({ value }) => resealed(value, sealed, masterKey, version) !== undefined).length;
  }
  return older;
}
