import type { Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

/** The first number of an advisory lock pair; the second one is a hash of the company's id. 3,002 is that of the keys of contacts. */
const MERGE_LOCK = 3_003;

/** Each merge takes this lock before it reads the contacts' messages, and holds it until COMMIT. */
export function lockMergesShared(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock_shared(${MERGE_LOCK}, hashint8(${companyId}))`);
}

/**
 * Waits for merges that have begun, and blocks new ones until COMMIT, so that the contact of a message that is read now does not
 * change. Take it after the campaign's row, which merges do not lock, and before rows of messages.
 */
export function lockMerges(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(${MERGE_LOCK}, hashint8(${companyId}))`);
}
