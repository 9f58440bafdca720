import { createHash, randomBytes } from 'node:crypto';
import { CLOCK_SKEW_MS } from '../clock.ts';
import type { Db, Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

/** How long a sign-in link works. */
export const SIGN_IN_MS = 60 * 60_000;
/** A session ends after this long without a request, */
export const IDLE_MS = 30 * 60_000;
/** and after this long whatever happens. */
export const ABSOLUTE_MS = 12 * 60 * 60_000;

/** A token for one sign-in as the operator of this installation; only its hash is stored. */
export async function issueSignIn(db: Queryable, now: Date): Promise<string> {
  const token = newSecret();
  await db.query(sql`
    with expired as (delete from admin_sign_ins where ${isSpent(now)}),
      ended as (delete from admin_sessions where ${isOver(now)})
    insert into admin_sign_ins (hash, expires_at) values (${hashOf(token)}, ${after(now, SIGN_IN_MS)})`);
  return token;
}

/** Exchanges a sign-in token, once, for the secret of a new session. null for an unknown, used or expired one. */
export async function signIn(db: Db, token: string, now: Date): Promise<string | null> {
  return db.tx(async (tx) => {
    const used = await tx.query(sql`
      delete from admin_sign_ins where hash = ${hashOf(token)} and not (${isSpent(now)}) returning 1`);
    if (used.length === 0) return null;
    const secret = newSecret();
    await tx.query(sql`
      insert into admin_sessions (hash, created_at, last_seen_at, expires_at)
      values (${hashOf(secret)}, ${now}, ${now}, ${after(now, ABSOLUTE_MS)})`);
    return secret;
  });
}

/** Whether the session lives; if so, it was used now. */
export async function useSession(db: Queryable, secret: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update admin_sessions set last_seen_at = greatest(last_seen_at, ${now})
    where hash = ${hashOf(secret)} and not (${isOver(now)}) returning 1`);
  return rows.length > 0;
}

export async function signOut(db: Queryable, secret: string): Promise<void> {
  await db.query(sql`delete from admin_sessions where hash = ${hashOf(secret)}`);
}

/** Ends every session of every operator, and takes back the links that nobody has used. Gives the number of each. */
export async function endSessions(db: Queryable): Promise<{ sessions: number; links: number }> {
  const links = await db.query(sql`delete from admin_sign_ins returning 1`);
  const sessions = await db.query(sql`delete from admin_sessions returning 1`);
  return { sessions: sessions.length, links: links.length };
}

/** One that was begun ahead of now was begun by a clock that was wrong, and would live too long. */
function isOver(now: Date) {
  return sql`expires_at <= ${now} or last_seen_at <= ${after(now, -IDLE_MS)} or created_at > ${after(now, CLOCK_SKEW_MS)}`;
}

function isSpent(now: Date) {
  return sql`expires_at <= ${now} or expires_at > ${after(now, SIGN_IN_MS + CLOCK_SKEW_MS)}`;
}

/** 256 random bits. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
