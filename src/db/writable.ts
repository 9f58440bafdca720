import { monotonicMs } from '../clock.ts';
import type { Db } from './pool.ts';
import { sql } from './sql.ts';
import { isUnavailable } from './unavailable.ts';

/** How long after a refused write to test whether the disk has room again. */
const DOUBTFUL_MS = 60_000;

/**
 * Throws where the database does not respond or refuses writes. Normally writes nothing: a read-only server, or a
 * missing privilege, refuses even a statement that changes no row. A full disk shows in other writes; after one of them
 * was refused, a small table is created to test for room.
 */
export async function requireWritable(db: Db): Promise<void> {
  const { probe } = db;
  await probe.query(sql`delete from installation where false`);
  if (monotonicMs() - db.writesRefusedAt() > DOUBTFUL_MS) return;
  try {
    // 64 rows of 2 kB that do not compress, so that free space within an existing file is not enough.
    await probe.query(sql`
      create temporary table disk_probe on commit drop as
      select (select string_agg(md5(n || '-' || m), '') from generate_series(1, 60) m) as filling
      from generate_series(1, 64) n`);
  } catch (error) {
    // A user who may not create tables is not a sign of a full disk.
    if (isUnavailable(error)) throw error;
  }
}
