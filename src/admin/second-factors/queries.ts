import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface TotpRow {
  secret: Buffer;
  confirmed_at: Date | null;
}

export async function findTotp(db: Queryable, personId: number): Promise<TotpRow | undefined> {
  const rows = await db.query<TotpRow>(sql`
    select secret, confirmed_at from person_totp where person_id = ${personId}`);
  return rows[0];
}

/** Replaces a secret not confirmed by a code yet; returns false if there is a confirmed one. */
export async function insertTotp(db: Queryable, personId: number, secret: Buffer, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into person_totp as t (person_id, secret, created_at) values (${personId}, ${secret}, ${now})
    on conflict (person_id) do update set secret = excluded.secret, created_at = excluded.created_at
    where t.confirmed_at is null returning 1`);
  return rows.length > 0;
}

/** Uses up the code of a time step; returns false if this or a later one was used before. */
export async function takeStep(db: Queryable, personId: number, step: number): Promise<boolean> {
  const rows = await db.query(sql`
    update person_totp set last_step = ${step} where person_id = ${personId} and last_step < ${step} returning 1`);
  return rows.length > 0;
}

export async function confirmTotp(tx: Tx, personId: number, now: Date): Promise<void> {
  await tx.query(sql`update person_totp set confirmed_at = ${now} where person_id = ${personId}`);
}

/** Also deletes the recovery codes. Returns whether a confirmed secret existed. */
export async function deleteTotp(tx: Tx, personId: number): Promise<boolean> {
  await tx.query(sql`delete from recovery_codes where person_id = ${personId}`);
  const rows = await tx.query<{ counted: boolean }>(sql`
    delete from person_totp where person_id = ${personId} returning confirmed_at is not null as counted`);
  return rows[0]?.counted ?? false;
}

export async function replaceRecoveryCodes(tx: Tx, personId: number, hashes: Buffer[]): Promise<void> {
  await tx.query(sql`delete from recovery_codes where person_id = ${personId}`);
  await tx.query(sql`
    insert into recovery_codes (person_id, hash) select ${personId}, hash from unnest(${hashes}::bytea[]) hash`);
}

export async function takeRecoveryCode(db: Queryable, personId: number, hash: Buffer): Promise<boolean> {
  const rows = await db.query(sql`
    delete from recovery_codes where person_id = ${personId} and hash = ${hash} returning 1`);
  return rows.length > 0;
}
