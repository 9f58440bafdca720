import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Queryable } from './pool.ts';
import { sql } from './sql.ts';

/**
 * Returns a text that identifies this database, as distinct from a copy of it. It changes in another cluster, in
 * another database, after a dump was restored (the table is created anew), after a point-in-time recovery or a failover
 * (a new timeline, the second part), and, for the embedded database, in a copied folder (the file is another one).
 */
export async function findHome(db: Queryable, config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<string> {
  const rows = await db.query<{ home: string }>(sql`
    select concat_ws(':', s.system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), d.oid,
      'installation'::regclass::oid) as home
    from pg_control_system() s, pg_database d where d.datname = current_database()`);
  const { home } = rows[0]!;
  if (config.databaseUrl !== null) return home;
  // Written once, when the cluster was made.
  const file = await stat(join(config.dataDir, 'postgres', 'PG_VERSION')).catch(() => null);
  return file === null ? home : `${home}:${file.ino}`;
}

/**
 * Whether two homes are one cluster on two timelines: the database failed over to a standby, or was recovered in place. The embedded
 * database has no standby.
 */
export function differInTimeline(home: string, other: string, config: Pick<Config, 'databaseUrl'>): boolean {
  return config.databaseUrl !== null && home !== other && withoutTimeline(home) === withoutTimeline(other);
}

function withoutTimeline(home: string): string {
  return home.replace(/:[^:]*/, '');
}
