import { sqlState, type Tx } from './pool.ts';
import { sql } from './sql.ts';

const QUERY_CANCELED = '57014';

/** Whether a statement was cancelled for taking too long. */
export function tookTooLong(error: unknown): boolean {
  return sqlState(error) === QUERY_CANCELED;
}

/** Runs `work` with a time limit for each statement; if one exceeds it, rolls all of `work` back and returns undefined. */
export async function withinMs<T>(tx: Tx, ms: number, work: () => Promise<T>): Promise<T | undefined> {
  const [before] = await tx.query<{ limit: string }>(sql`select current_setting('statement_timeout') as limit`);
  try {
    return await tx.savepoint(async () => {
      await tx.limitStatements(ms);
      const result = await work();
      await tx.query(sql`select set_config('statement_timeout', ${before!.limit}, true)`);
      return result;
    });
  } catch (error) {
    if (tookTooLong(error)) return undefined;
    throw error;
  }
}
