import { CLOCK_SKEW_MS } from '../clock.ts';
import type { Queryable, Tx } from '../db/pool.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Role } from './roles.ts';

/** Lifetime of a sign-in link. */
export const SIGN_IN_MS = 60 * 60_000;
/** Codes of an authenticator app that may be tried with one link. */
const MAX_CODES = 5;
/** A session ends after this long without a request, */
export const IDLE_MS = 12 * 60 * 60_000;
/** and after this long in any case. */
export const ABSOLUTE_MS = 7 * 24 * 60 * 60_000;

/** `set_password` is shown in the terminal, `reset_password` is mailed. */
export type LinkKind = 'operator' | 'magic' | 'set_password' | 'reset_password';

export interface MembershipRow {
  company_id: number;
  name: string;
  currency: string;
  time_zone: string;
  country: string;
  role: Role;
}

export interface SessionRow {
  id: number;
  person_id: number | null;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  confirmed_at: Date;
  email: string | null;
  name: string | null;
  owns_all: boolean | null;
  memberships: MembershipRow[];
}

/** Also deletes expired links and sessions. */
export async function insertLink(
  db: Queryable,
  link: { hash: Buffer; kind: LinkKind; personId: number | null; now: Date },
): Promise<void> {
  const { hash, kind, personId, now } = link;
  await db.query(sql`
    with expired as (delete from admin_sign_ins where ${isSpent(now)}),
      ended as (delete from admin_sessions where ${isOver(now)})
    insert into admin_sign_ins (hash, kind, person_id, expires_at)
    values (${hash}, ${kind}, ${personId}, ${after(now, SIGN_IN_MS)})`);
}

export interface LinkRow {
  kind: LinkKind;
  person_id: number | null;
  email: string | null;
  /** Whether the person had proven the address. */
  proven: boolean;
}

export async function findLink(db: Queryable, hash: Buffer, now: Date): Promise<LinkRow | undefined> {
  const rows = await db.query<LinkRow>(sql`
    select l.kind, l.person_id, p.email, p.proven_at is not null as proven from admin_sign_ins l left join persons p on p.id = l.person_id
    where l.hash = ${hash} and l.codes_tried < ${MAX_CODES} and not (${isSpent(now)})`);
  return rows[0];
}

/** Deletes the link and returns it; undefined for an unknown, used or expired one. */
export async function takeLink(
  db: Queryable,
  hash: Buffer,
  now: Date,
): Promise<Pick<LinkRow, 'kind' | 'person_id'> | undefined> {
  const rows = await db.query<Pick<LinkRow, 'kind' | 'person_id'>>(sql`
    delete from admin_sign_ins where hash = ${hash} and not (${isSpent(now)}) returning kind, person_id`);
  return rows[0];
}

/** Counts a code before it is checked. Returns false if the link has had all it may try. */
export async function takeCode(db: Queryable, hash: Buffer): Promise<boolean> {
  const rows = await db.query(sql`
    update admin_sign_ins set codes_tried = codes_tried + 1 where hash = ${hash} and codes_tried < ${MAX_CODES} returning 1`);
  return rows.length > 0;
}

export async function insertSession(
  db: Queryable,
  session: { hash: Buffer; personId: number | null; address: string; userAgent: string; now: Date },
): Promise<void> {
  const { hash, personId, address, userAgent, now } = session;
  await db.query(sql`
    insert into admin_sessions (hash, person_id, address, user_agent, created_at, last_seen_at, confirmed_at, expires_at)
    values (${hash}, ${personId}, ${address}, ${userAgent}, ${now}, ${now}, ${now}, ${after(now, ABSOLUTE_MS)})`);
}

/** Returns a live session with its person and the companies they may see. The operator is an owner everywhere. */
export async function findSession(db: Queryable, hash: Buffer, now: Date): Promise<SessionRow | undefined> {
  const rows = await db.query<SessionRow>(sql`
    select s.id, s.person_id, s.created_at, s.last_seen_at, s.expires_at, s.confirmed_at, p.email, p.name, p.owns_all,
      coalesce((
        select jsonb_agg(jsonb_build_object('company_id', c.company_id, 'name', c.name, 'currency', c.currency,
          'time_zone', c.time_zone, 'country', c.country, 'role', coalesce(m.role, 'owner')) order by c.company_id)
        from companies c left join members m on m.company_id = c.company_id and m.person_id = s.person_id
        where s.person_id is null or m.person_id is not null), '[]') as memberships
    from (select * from admin_sessions where hash = ${hash} and not (${isOver(now)})) s
    left join persons p on p.id = s.person_id`);
  return rows[0];
}

export interface SessionInCompany {
  sessionId: number;
  companyId: number;
}

/** Returns the role of each live session's person in the paired company; no row if there is none. */
export async function findRoles(
  db: Queryable,
  asked: readonly SessionInCompany[],
  now: Date,
): Promise<{ session_id: number; company_id: number; role: Role }[]> {
  const sessionIds = asked.map(({ sessionId }) => sessionId);
  const companyIds = asked.map(({ companyId }) => companyId);
  return db.query(sql`
    select s.id as session_id, a.company_id, coalesce(m.role, 'owner') as role
    from unnest(${sessionIds}::bigint[], ${companyIds}::bigint[]) a (session_id, company_id)
    join (select id, person_id from admin_sessions where id = any(${sessionIds}::bigint[]) and not (${isOver(now)})) s
      on s.id = a.session_id
    left join members m on m.company_id = a.company_id and m.person_id = s.person_id
    where s.person_id is null or m.person_id is not null`);
}

export async function touchSession(db: Queryable, id: number, now: Date): Promise<void> {
  await db.query(sql`update admin_sessions set last_seen_at = greatest(last_seen_at, ${now}) where id = ${id}`);
}

export async function confirmSession(db: Queryable, id: number, now: Date): Promise<void> {
  await db.query(sql`update admin_sessions set confirmed_at = ${now}, last_seen_at = ${now} where id = ${id}`);
}

export async function deleteSession(db: Queryable, hash: Buffer): Promise<void> {
  await db.query(sql`delete from admin_sessions where hash = ${hash}`);
}

/** Returns how many of each were deleted. */
export async function deleteAllSessions(db: Queryable): Promise<{ sessions: number; links: number }> {
  const links = await db.query(sql`delete from admin_sign_ins returning 1`);
  const sessions = await db.query(sql`delete from admin_sessions returning 1`);
  return { sessions: sessions.length, links: links.length };
}

export interface OwnSessionRow {
  id: number;
  address: string;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
}

/** Most recently used first. */
export async function listSessionsOf(db: Queryable, personId: number | null, now: Date): Promise<OwnSessionRow[]> {
  return db.query<OwnSessionRow>(sql`
    select id, address, user_agent, created_at, last_seen_at from admin_sessions
    where person_id is not distinct from ${personId}::bigint and not (${isOver(now)}) order by last_seen_at desc, id desc limit 100`);
}

/** Returns whether it existed. */
export async function deleteSessionOf(db: Queryable, personId: number | null, id: number): Promise<boolean> {
  const rows = await db.query(sql`
    delete from admin_sessions where id = ${id} and person_id is not distinct from ${personId}::bigint returning 1`);
  return rows.length > 0;
}

/**
 * Locks the person and returns whether the session is still live, so that no request that was running when their sessions were ended
 * stores a credential afterwards.
 */
export async function lockWithSession(tx: Tx, personId: number, sessionId: number): Promise<boolean> {
  await tx.query(sql`select 1 from persons where id = ${personId} for update`);
  const rows = await tx.query(sql`select 1 from admin_sessions where id = ${sessionId} and person_id = ${personId}`);
  return rows.length > 0;
}

/** Deletes the person's sessions except one, or all if `except` is null, and the links that would start a session. */
export async function deleteSessionsOf(db: Queryable, personId: number, except: number | null): Promise<number> {
  await db.query(sql`delete from admin_sign_ins where person_id = ${personId}`);
  const rows = await db.query(sql`
    delete from admin_sessions where person_id = ${personId} and id is distinct from ${except}::bigint returning 1`);
  return rows.length;
}

/** A session that starts in the future was created by a wrong clock and would live too long. */
function isOver(now: Date): Statement {
  return sql`expires_at <= ${now} or last_seen_at <= ${after(now, -IDLE_MS)} or created_at > ${after(now, CLOCK_SKEW_MS)}`;
}

function isSpent(now: Date): Statement {
  return sql`expires_at <= ${now} or expires_at > ${after(now, SIGN_IN_MS + CLOCK_SKEW_MS)}`;
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
