import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../../caller.ts';
import type { Clock } from '../../../clock.ts';
import type { KeysetPage } from '../../../db/keyset-pages.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { purgeByAge } from '../../../db/purge.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import { refusesWrites } from '../../../db/unavailable.ts';
import { AppError } from '../../../errors.ts';
import type { RawJson } from '../../../lib/raw-json.ts';
import type { Slice } from '../../../lib/slice.ts';
import type { CustomerAccount } from '../schemas.ts';

const PREFIX = 'tl_cust_';
const TOKEN = /^tl_cust_[\w-]{43}$/;
const DAY_MS = 24 * 3_600_000;
/** A session that was not used for this long has ended. */
const IDLE_MS = 30 * DAY_MS;
const ABSOLUTE_MS = 180 * DAY_MS;
const TOUCH_EVERY_MS = 3_600_000;

/** A customer who is signed in. */
export interface SignedIn {
  customerId: number;
  sessionId: number;
  /** Normalised. */
  email: string;
  emailVerified: boolean;
}

/** A customer who has just signed in: the token is shown once. */
export interface NewSession {
  token: string;
  customer: RawJson;
}

export function wrongCredentials(): AppError {
  return new AppError('wrong_credentials', 'The e-mail address, the password, the code or the passkey is wrong');
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the token of a new session; only its hash is stored. */
export async function beginSession(tx: Tx, companyId: number, customerId: number, now: Date): Promise<string> {
  const token = PREFIX + randomBytes(32).toString('base64url');
  await tx.query(sql`
    insert into customer_sessions (company_id, customer_id, token_hash, created_at, used_at)
    values (${companyId}, ${customerId}, ${hashOf(token)}, ${now}, ${now})`);
  return token;
}

/** Returns whose token it is, and counts that as a use of the session. Throws missing_session. */
export async function findSignedIn(db: Db, { companyId, now }: Caller, token: string | null): Promise<SignedIn> {
  const row = token === null || !TOKEN.test(token) ? undefined : await findSession(db, companyId, token, now);
  if (row === undefined) throw new AppError('missing_session', 'Sign in: send a valid customer token');
  const { used_at, ...signedIn } = row;
  if (now.getTime() - used_at.getTime() >= TOUCH_EVERY_MS) await touch(db, companyId, row.sessionId, now);
  return signedIn;
}

async function findSession(
  db: Db,
  companyId: number,
  token: string,
  now: Date,
): Promise<(SignedIn & { used_at: Date }) | undefined> {
  const rows = await db.points(companyId).query<SignedIn & { used_at: Date }>(sql`
    select s.id as "sessionId", s.customer_id as "customerId", s.used_at, lower(c.email) as email,
      c.email_verified_at is not null as "emailVerified"
    from customer_sessions s join customers c on c.company_id = s.company_id and c.id = s.customer_id
    where s.company_id = ${companyId} and s.token_hash = ${hashOf(token)} and ${alive(now)}
      and c.account = 'active' and c.erased_at is null`);
  return rows[0];
}

function alive(now: Date): Statement {
  return sql`s.used_at > ${new Date(now.getTime() - IDLE_MS)} and s.created_at > ${new Date(now.getTime() - ABSOLUTE_MS)}`;
}

async function touch(db: Db, companyId: number, id: number, now: Date): Promise<void> {
  try {
    await db.writes(companyId).query(sql`
      update customer_sessions set used_at = ${now} where company_id = ${companyId} and id = ${id} and used_at < ${now}`);
  } catch (error) {
    // Reads continue while the database accepts no writes.
    if (!refusesWrites(error)) throw error;
  }
}

/** Ends the customer's sessions, except one. Returns how many. */
export async function endSessions(
  tx: Tx,
  companyId: number,
  customerId: number,
  except: number | null = null,
): Promise<number> {
  const rows = await tx.query(sql`
    delete from customer_sessions
    where company_id = ${companyId} and customer_id = ${customerId} and id is distinct from ${except}::bigint returning id`);
  return rows.length;
}

/** Returns whether the customer had this session. */
export async function endSession(tx: Tx, companyId: number, customerId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from customer_sessions
    where company_id = ${companyId} and customer_id = ${customerId} and id = ${id} returning id`);
  return rows.length > 0;
}

export interface SessionRow {
  id: number;
  created_at: Date;
  used_at: Date;
}

/** Returns the newest sessions that have not expired. */
export async function listSessions(
  db: Queryable,
  companyId: number,
  customerId: number,
  now: Date,
): Promise<SessionRow[]> {
  return db.query<SessionRow>(sql`
    select s.id, s.created_at, s.used_at from customer_sessions s
    where s.company_id = ${companyId} and s.customer_id = ${customerId} and ${alive(now)} order by s.id desc limit 100`);
}

/** How a customer can sign in; undefined for an unknown customer. */
export async function findWaysIn(
  db: Queryable,
  companyId: number,
  id: number,
  now: Date,
): Promise<(Omit<CustomerAccount, 'last_seen_at'> & { last_seen_at: Date | null }) | undefined> {
  const rows = await db.query<Omit<CustomerAccount, 'last_seen_at'> & { last_seen_at: Date | null }>(sql`
    select c.account, c.email_verified_at is not null as email_verified, c.password_hash is not null as has_password,
      (select count(*) from customer_passkeys p where p.company_id = c.company_id and p.customer_id = c.id)::int as passkeys,
      s.n::int as sessions, s.last as last_seen_at
    from customers c, lateral (
      select count(*) as n, max(s.used_at) as last from customer_sessions s
      where s.company_id = c.company_id and s.customer_id = c.id and ${alive(now)}) s
    where c.company_id = ${companyId} and c.id = ${id} and c.erased_at is null`);
  return rows[0];
}

/** Selects the customer's sessions, for `keysetPages`. */
export function sessionsOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('id', id, 'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'used_at', to_char(used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from customer_sessions where company_id = ${companyId} and customer_id = ${customerId} and id > ${after}
    order by id limit ${limit}`;
}

/** Deletes sessions that were not used for too long. */
export function purgeCustomerSessions(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - IDLE_MS);
  return purgeByAge(db, { table: 'customer_sessions', column: 'used_at', before });
}
