import { CLOCK_SKEW_MS } from '../../clock.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { customerJson } from './queries.ts';

/** Returns the hash; undefined for an unknown customer, null without a password, or if the account was closed and is not active again. */
export async function findPasswordHash(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<string | null | undefined> {
  const rows = await db.query<{ password_hash: string | null }>(sql`
    select case when account not in ('closed', 'invited') then password_hash end as password_hash
    from customers where company_id = ${companyId} and id = ${id} and erased_at is null`);
  return rows[0]?.password_hash;
}

/** Signs the customer out as well. Undefined for an unknown customer. */
export async function updatePasswordHash(
  tx: Tx,
  companyId: number,
  id: number,
  hash: string,
  now: Date,
): Promise<RawJson | undefined> {
  const rows = await tx.query<{ json: string }>(sql`
    with signed_out as (delete from customer_sessions where company_id = ${companyId} and customer_id = ${id})
    update customers c set password_hash = ${hash}, account = 'active', updated_at = ${now}
    where c.company_id = ${companyId} and c.id = ${id} and c.erased_at is null
    returning ${customerJson} as json`);
  return rows[0] === undefined ? undefined : new RawJson(rows[0].json);
}

/** Stores a new hash of the same password, unless the password was changed since. */
export async function renewPasswordHash(
  db: Queryable,
  companyId: number,
  id: number,
  hash: { old: string; fresh: string },
): Promise<void> {
  await db.query(sql`
    update customers set password_hash = ${hash.fresh}
    where company_id = ${companyId} and id = ${id} and password_hash = ${hash.old}`);
}

/**
 * Counts an attempt at the customer's password in the current window, which begins with its first one. Null when the
 * window has no attempt left.
 */
export async function takePasswordAttempt(
  db: Queryable,
  companyId: number,
  id: number,
  window: { now: Date; expired: Date; attempts: number },
): Promise<Date | null> {
  // A window in the future was started by a wrong clock.
  const over = sql`(a.window_start <= ${window.expired} or a.window_start > ${new Date(window.now.getTime() + CLOCK_SKEW_MS)})`;
  const rows = await db.query<{ window_start: Date }>(sql`
    insert into password_attempts as a (company_id, customer_id, window_start, attempts)
    values (${companyId}, ${id}, ${window.now}, 1)
    on conflict (company_id, customer_id) do update set
      window_start = case when ${over} then excluded.window_start else a.window_start end,
      attempts = case when ${over} then 1 else a.attempts + 1 end
    where ${over} or a.attempts < ${window.attempts}
    returning window_start`);
  return rows[0]?.window_start ?? null;
}

export async function findAttemptWindow(db: Queryable, companyId: number, id: number): Promise<Date | undefined> {
  const rows = await db.query<{ window_start: Date }>(sql`
    select window_start from password_attempts where company_id = ${companyId} and customer_id = ${id}`);
  return rows[0]?.window_start;
}

/** Uncounts an attempt with the right password. */
export async function returnPasswordAttempt(
  db: Queryable,
  companyId: number,
  id: number,
  windowStart: Date,
): Promise<void> {
  await db.query(sql`
    update password_attempts set attempts = attempts - 1
    where company_id = ${companyId} and customer_id = ${id} and window_start = ${windowStart} and attempts > 0`);
}

export async function forgetPasswordAttempts(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`delete from password_attempts where company_id = ${companyId} and customer_id = ${id}`);
}
