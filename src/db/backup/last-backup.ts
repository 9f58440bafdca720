import pg from 'pg';
import { type ConnectionSettings, sqlState } from '../pool.ts';

/** A database without this program's latest migrations has no place to store it. */
const UNDEFINED = new Set(['42P01', '42703']);

/** Records in the database when it was last backed up, for the metrics. */
export async function noteBackup(connection: ConnectionSettings, at: Date): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query('update installation set last_backup_at = $1', [at]);
  } catch (error) {
    if (!UNDEFINED.has(sqlState(error))) throw error;
  } finally {
    await client.end();
  }
}
