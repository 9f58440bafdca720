import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import { AppError } from '../../../errors.ts';
import { RawJson } from '../../../lib/raw-json.ts';
import { customerJson } from '../queries.ts';

export type Account = 'none' | 'invited' | 'active' | 'closed';

export interface AccountRow {
  id: number;
  email: string | null;
  account: Account;
  password_hash: string | null;
  verified: boolean;
}

const FIELDS = rawSql('id, email, account, password_hash, email_verified_at is not null as verified');

/** Normalised address. */
export async function findAccount(db: Queryable, companyId: number, email: string): Promise<AccountRow | undefined> {
  const rows = await db.query<AccountRow>(sql`
    select ${FIELDS} from customers where company_id = ${companyId} and lower(email) = ${email}`);
  return rows[0];
}

/** Locks the account. */
export async function lockAccount(
  tx: Tx,
  companyId: number,
  by: { email: string } | { id: number },
): Promise<AccountRow | undefined> {
  const which = 'id' in by ? sql`id = ${by.id}` : sql`lower(email) = ${by.email}`;
  const rows = await tx.query<AccountRow>(sql`
    select ${FIELDS} from customers
    where company_id = ${companyId} and ${which} and erased_at is null for update`);
  return rows[0];
}

/** Locks the account, which may have been closed since the token was read. Throws missing_session. */
export async function requireActive(tx: Tx, companyId: number, id: number): Promise<AccountRow> {
  const locked = await lockAccount(tx, companyId, { id });
  if (locked?.account !== 'active') throw new AppError('missing_session', 'The account was closed');
  return locked;
}

/** Sets what is given, and returns the customer. A `passwordHash` of null takes the password away. */
export async function setAccount(
  tx: Tx,
  companyId: number,
  id: number,
  { account, verifiedAt, passwordHash }: { account: Account; verifiedAt?: Date; passwordHash?: string | null },
  now: Date,
): Promise<RawJson> {
  const verified =
    verifiedAt === undefined ? emptySql : sql`, email_verified_at = coalesce(email_verified_at, ${verifiedAt})`;
  const password = passwordHash === undefined ? emptySql : sql`, password_hash = ${passwordHash}`;
  const rows = await tx.query<{ json: string }>(sql`
    update customers c set account = ${account}, updated_at = ${now} ${verified} ${password}
    where c.company_id = ${companyId} and c.id = ${id}
    returning ${customerJson} as json`);
  return new RawJson(rows[0]!.json);
}
