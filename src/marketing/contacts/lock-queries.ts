import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** The first number of an advisory lock pair; the second one is a hash of the company's id. 3,003 is that of merges. */
const KEYS_LOCK = 3_002;
/** Added to the company's id to get a different seed from that of the locks of Idempotency-Keys, which use the id alone. */
const KEY_SEED = 2 ** 52;

/** Locks the given keys in this order, whether or not a contact has them. */
export function lockKeys(tx: Tx, companyId: number, keys: string[]): Promise<unknown> {
  return tx.query(sql`
    with company as materialized (select pg_advisory_xact_lock_shared(${KEYS_LOCK}, hashint8(${companyId})))
    select pg_advisory_xact_lock(hashtextextended(key, ${companyId}::bigint + ${KEY_SEED}::bigint))
    from company, unnest(${keys}::text[]) key`);
}

/** Locks all keys of the company's contacts. */
export function lockAllKeys(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(${KEYS_LOCK}, hashint8(${companyId}))`);
}
