import type { Credential, Proof } from '../../../access/passkeys/webauthn.ts';
import type { KeysetPage } from '../../../db/keyset-pages.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';

export interface PasskeyRow {
  id: number;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

export interface CredentialRow extends Credential {
  customer_id: number;
  id: number;
}

const SHOWN = rawSql('id, name, created_at, last_used_at');
const CREDENTIAL = rawSql('customer_id, id, credential_id, public_key, counter, transports');

/** By age. There are few. */
export async function listPasskeys(db: Queryable, companyId: number, customerId: number): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(sql`
    select ${SHOWN} from customer_passkeys
    where company_id = ${companyId} and customer_id = ${customerId} order by id`);
}

export async function credentialsOf(db: Queryable, companyId: number, customerId: number): Promise<CredentialRow[]> {
  return db.query<CredentialRow>(sql`
    select ${CREDENTIAL} from customer_passkeys
    where company_id = ${companyId} and customer_id = ${customerId} order by id`);
}

export async function findCredential(
  db: Queryable,
  companyId: number,
  credentialId: string,
): Promise<CredentialRow | undefined> {
  const rows = await db.query<CredentialRow>(sql`
    select ${CREDENTIAL} from customer_passkeys where company_id = ${companyId} and credential_id = ${credentialId}`);
  return rows[0];
}

/** Returns the passkey; undefined where it is stored already. */
export async function insertPasskey(
  tx: Tx,
  companyId: number,
  passkey: Credential & { customerId: number; name: string; now: Date },
): Promise<PasskeyRow | undefined> {
  const { customerId, name, credential_id, public_key, counter, transports, now } = passkey;
  const rows = await tx.query<PasskeyRow>(sql`
    insert into customer_passkeys (company_id, customer_id, credential_id, public_key, counter, transports, name, created_at)
    values (${companyId}, ${customerId}, ${credential_id}, ${public_key}, ${counter}, ${transports}, ${name}, ${now})
    on conflict (company_id, credential_id) do nothing returning ${SHOWN}`);
  return rows[0];
}

export async function deletePasskey(tx: Tx, companyId: number, customerId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from customer_passkeys
    where company_id = ${companyId} and customer_id = ${customerId} and id = ${id} returning id`);
  return rows.length > 0;
}

export async function deletePasskeys(tx: Tx, companyId: number, customerId: number): Promise<void> {
  await tx.query(sql`delete from customer_passkeys where company_id = ${companyId} and customer_id = ${customerId}`);
}

/** Returns false if a later use was already recorded. */
export async function noteUse(
  tx: Tx,
  companyId: number,
  { id, counter }: CredentialRow,
  newCounter: number,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update customer_passkeys set counter = ${newCounter}, last_used_at = ${now}
    where company_id = ${companyId} and id = ${id} and counter = ${counter} returning id`);
  return rows.length > 0;
}

/** Returns false if the challenge was used before. */
export async function useChallenge(tx: Tx, companyId: number, { hash, endsAt }: Proof): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into customer_passkey_challenges (company_id, hash, expires_at) values (${companyId}, ${hash}, ${endsAt})
    on conflict (company_id, hash) do nothing returning 1`);
  return rows.length > 0;
}

/** Selects the customer's passkeys, for `keysetPages`. */
export function passkeysOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('id', id, 'name', name,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'last_used_at', to_char(last_used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from customer_passkeys where company_id = ${companyId} and customer_id = ${customerId} and id > ${after}
    order by id limit ${limit}`;
}
