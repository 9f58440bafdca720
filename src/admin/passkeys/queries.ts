import type { Credential, Proof } from '../../access/passkeys/webauthn.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface PasskeyRow {
  id: number;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

export interface CredentialRow extends Credential {
  person_id: number;
  id: number;
}

export async function listPasskeys(db: Queryable, personId: number): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(sql`
    select id, name, created_at, last_used_at from passkeys where person_id = ${personId} order by id`);
}

export async function credentialsOf(db: Queryable, personId: number): Promise<CredentialRow[]> {
  return db.query<CredentialRow>(sql`
    select person_id, id, credential_id, public_key, counter, transports
    from passkeys where person_id = ${personId} order by id`);
}

export async function findCredential(db: Queryable, credentialId: string): Promise<CredentialRow | undefined> {
  const rows = await db.query<CredentialRow>(sql`
    select person_id, id, credential_id, public_key, counter, transports
    from passkeys where credential_id = ${credentialId}`);
  return rows[0];
}

/** Locks the person, so that nobody else adds or removes their passkeys until COMMIT. */
export async function lockPerson(tx: Tx, personId: number): Promise<{ has_password: boolean } | undefined> {
  const rows = await tx.query<{ has_password: boolean }>(sql`
    select password_hash is not null as has_password from persons where id = ${personId} for update`);
  return rows[0];
}

export async function insertPasskey(
  tx: Tx,
  passkey: Credential & { personId: number; name: string; now: Date },
): Promise<PasskeyRow> {
  const { personId, name, credential_id, public_key, counter, transports, now } = passkey;
  const rows = await tx.query<PasskeyRow>(sql`
    insert into passkeys (person_id, name, credential_id, public_key, counter, transports, created_at)
    values (${personId}, ${name}, ${credential_id}, ${public_key}, ${counter}, ${transports}, ${now})
    returning id, name, created_at, last_used_at`);
  return rows[0]!;
}

export async function renamePasskey(
  tx: Tx,
  personId: number,
  id: number,
  name: string,
): Promise<PasskeyRow | undefined> {
  const rows = await tx.query<PasskeyRow>(sql`
    update passkeys set name = ${name} where person_id = ${personId} and id = ${id}
    returning id, name, created_at, last_used_at`);
  return rows[0];
}

export async function deletePasskey(tx: Tx, personId: number, id: number): Promise<PasskeyRow | undefined> {
  const rows = await tx.query<PasskeyRow>(sql`
    delete from passkeys where person_id = ${personId} and id = ${id} returning id, name, created_at, last_used_at`);
  return rows[0];
}

/** Returns false if a later use was already recorded. */
export async function noteUse(
  tx: Tx,
  { person_id, id, counter }: CredentialRow,
  newCounter: number,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update passkeys set counter = ${newCounter}, last_used_at = ${now}
    where person_id = ${person_id} and id = ${id} and counter = ${counter} returning 1`);
  return rows.length > 0;
}

/** Returns false if the challenge was used before. Also deletes expired ones. */
export async function useChallenge(tx: Tx, personId: number, { hash, endsAt }: Proof, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    with over as (delete from passkey_challenges where expires_at < ${now})
    insert into passkey_challenges (hash, person_id, expires_at) values (${hash}, ${personId}, ${endsAt})
    on conflict (hash) do nothing returning 1`);
  return rows.length > 0;
}
