import { monotonicMs } from '../clock.ts';
import type { Db } from './pool.ts';
import { sql } from './sql.ts';
import { isUnavailable } from './unavailable.ts';

/** For so long after a write was refused it is tried whether the disk has room again. */
const DOUBTFUL_MS = 60_000;

/**
 * Throws where the database does not respond or takes no writes. Writes nothing in ordinary times: a statement that changes
 * no row is refused by a read-only server and for want of the right, too. A full disk shows in the writes of others; after
 * one of them was refused, room for a little table is asked for.
 */
export async function requireWritable(db: Db): Promise<void> {
  const { probe } = db;
  await probe.query(sql`delete from installation where false`);
  if (monotonicMs() - db.writesRefusedAt() > DOUBTFUL_MS) return;
  try {
    // Not from what is free in an existing file: 64 rows of 2 kB that do not compress.
    await probe.query(sql`
      create temporary table disk_probe on commit drop as
      select (select string_agg(md5(n || '-' || m), '') from generate_series(1, 60) m) as filling
      from generate_series(1, 64) n`);
  } catch (error) {
    // A user who may make no table is no full disk.
    if (isUnavailable(error)) throw error;
  }
}
