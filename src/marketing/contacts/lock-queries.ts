import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** First numbers of the pairs that advisory locks of contacts are; the second is a hash of the company's id. */
const KEYS_LOCK = 3_002;
const MERGE_LOCK = 3_003;
/** Apart from the seeds of the locks of Idempotency-Keys, which are company ids. */
const KEY_SEED = 2 ** 52;

/** Merges hold this until their COMMIT, from before they look at the contacts' messages. */
export function lockMergesShared(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock_shared(${MERGE_LOCK}, hashint8(${companyId}))`);
}

/**
 * Waits for merges that have begun, and lets none begin until COMMIT: whose a message is, as it is read from now on, stays so.
 * Taken behind the campaign's row, of which merges take none, and before rows of messages.
 */
export function lockMerges(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(${MERGE_LOCK}, hashint8(${companyId}))`);
}

/** Locks the given keys of the company's contacts, in their order, whether there are contacts that have them or not. */
export function lockKeys(tx: Tx, companyId: number, keys: string[]): Promise<unknown> {
  return tx.query(sql`
    with company as materialized (select pg_advisory_xact_lock_shared(${KEYS_LOCK}, hashint8(${companyId})))
    select pg_advisory_xact_lock(hashtextextended(key, ${companyId}::bigint + ${KEY_SEED}::bigint))
    from company, unnest(${keys}::text[]) key`);
}

/** Locks all keys of the company's contacts at once. */
export function lockAllKeys(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(${KEYS_LOCK}, hashint8(${companyId}))`);
}
