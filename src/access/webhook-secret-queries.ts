import type { Queryable, Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

export interface SecretRow {
  id: number;
  ciphertext: Buffer;
  created_at: Date;
  expires_at: Date | null;
}

/** Serialises replacements of the company's secrets. */
export async function lockSecrets(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select 1 from companies where company_id = ${companyId} for no key update`);
}

/** Returns its id. */
export async function insertSecret(
  db: Queryable,
  companyId: number,
  secret: { kind: 'webhook'; ciphertext: Buffer; now: Date },
): Promise<number> {
  const rows = await db.query<{ id: number }>(sql`
    insert into company_secrets (company_id, kind, ciphertext, created_at)
    values (${companyId}, ${secret.kind}, ${secret.ciphertext}, ${secret.now}) returning id`);
  return rows[0]!.id;
}

/** Returns the company's secrets of a kind, newest first, including expired ones (the caller has the clock). */
export async function listSecrets(db: Queryable, companyId: number, kind: 'webhook'): Promise<SecretRow[]> {
  return db.query<SecretRow>(sql`
    select id, ciphertext, created_at, expires_at from company_secrets
    where company_id = ${companyId} and kind = ${kind} order by id desc`);
}

export async function expireSecrets(db: Queryable, companyId: number, kind: 'webhook', expiresAt: Date): Promise<void> {
  await db.query(sql`
    update company_secrets set expires_at = least(expires_at, ${expiresAt})
    where company_id = ${companyId} and kind = ${kind}`);
}
