import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Db, Queryable, Tx } from '../db/pool.ts';
import { refusesWrites } from '../db/unavailable.ts';
import { AppError, notFound } from '../errors.ts';
import { type Role, scopeSetOf } from './roles.ts';
import * as queries from './session-queries.ts';

export { ABSOLUTE_MS, IDLE_MS, type LinkKind, type MembershipRow, SIGN_IN_MS } from './session-queries.ts';

/** A session of someone signed in to the admin app. */
export interface Session {
  id: number;
  /** null: the operator, signed in by a link from the terminal, who owns every company. */
  personId: number | null;
  email: string | null;
  name: string;
  /** For histories and the audit log: `admin:7`, `operator`. */
  actor: string;
  confirmedAt: Date;
  expiresAt: Date;
  /** True for the operator and the first owner. */
  ownsInstallation: boolean;
  memberships: queries.MembershipRow[];
}

/** Where a request comes from, as shown in a list of sessions. */
export interface Visit {
  address: string;
  userAgent: string;
}

/** What a person may do in a company, valid for one request. */
export interface Standing {
  role: Role;
  scopes: ReadonlySet<string>;
}

/** Throws confirmation_required; null: nothing to confirm, for API keys and people who confirmed their identity recently. */
export type RequireConfirmed = (() => void) | null;

/** Time after the last confirmation of identity until a dangerous action requires another. */
const CONFIRMED_MS = 15 * 60_000;
/** Minimum time between two writes to a session in use. */
const TOUCH_EVERY_MS = 60_000;
const SECRET = /^[\w-]{43}$/;
const MAX_USER_AGENT = 300;

export interface AdminSessions {
  /** Returns the live session with this secret, or null. */
  find(secret: string): Promise<Session | null>;
  /** Throws not_found if the person is not a member. */
  standingIn(session: Session, companyId: number): Standing;
  /** Returns the current role of each without counting as use of the session; null if it ended or the person is not a member. */
  rolesOf(asked: readonly queries.SessionInCompany[]): Promise<(Role | null)[]>;
  /** Throws confirmation_required if the last confirmation is older than 15 minutes. */
  requireConfirmed(session: Session): void;
  /** For changes that only sometimes require it; null stands for an API key. */
  confirmationOf(visitor: { session: Session | null } | null): RequireConfirmed;
}

/** Sessions are read in every request, so that ending one or revoking a role takes effect at once. */
export function createAdminSessions(db: Pick<Db, 'strangers'>, clock: Clock): AdminSessions {
  async function touch(id: number, now: Date): Promise<void> {
    try {
      await queries.touchSession(db.strangers, id, now);
    } catch (error) {
      // Reads continue while the database accepts no writes.
      if (!refusesWrites(error)) throw error;
    }
  }

  function isConfirmed({ confirmedAt }: Session): boolean {
    return clock.now().getTime() - confirmedAt.getTime() < CONFIRMED_MS;
  }

  function requireConfirmed(session: Session): void {
    if (isConfirmed(session)) return;
    throw new AppError('confirmation_required', 'Confirm that it is you: enter your password or use a passkey');
  }

  return {
    async find(secret) {
      if (!SECRET.test(secret)) return null;
      const now = clock.now();
      const row = await queries.findSession(db.strangers, hashOf(secret), now);
      if (row === undefined) return null;
      if (now.getTime() - row.last_seen_at.getTime() >= TOUCH_EVERY_MS) await touch(row.id, now);
      return sessionOf(row);
    },
    standingIn(session, companyId) {
      const membership = session.memberships.find((one) => one.company_id === companyId);
      if (membership === undefined) throw notFound('company');
      return { role: membership.role, scopes: scopeSetOf(membership.role) };
    },
    async rolesOf(asked) {
      const rows = await queries.findRoles(db.strangers, asked, clock.now());
      const roles = new Map(rows.map(({ session_id, company_id, role }) => [`${session_id}:${company_id}`, role]));
      return asked.map(({ sessionId, companyId }) => roles.get(`${sessionId}:${companyId}`) ?? null);
    },
    requireConfirmed,
    confirmationOf(visitor) {
      const session = visitor?.session ?? null;
      return session === null || isConfirmed(session) ? null : () => requireConfirmed(session);
    },
  };
}

function sessionOf(row: queries.SessionRow): Session {
  return {
    id: row.id,
    personId: row.person_id,
    email: row.email,
    name: row.name ?? 'Operator',
    actor: row.person_id === null ? 'operator' : `admin:${row.person_id}`,
    confirmedAt: row.confirmed_at,
    expiresAt: row.expires_at,
    ownsInstallation: row.person_id === null || row.owns_all === true,
    memberships: row.memberships,
  };
}

/** Returns a token for one sign-in as the operator of this installation; only its hash is stored. */
export async function issueSignIn(db: Queryable, now: Date): Promise<string> {
  return issueLink(db, { kind: 'operator', personId: null, now });
}

/** Returns a token that works once within the hour; only its hash is stored. */
export async function issueLink(
  db: Queryable,
  link: { kind: queries.LinkKind; personId: number | null; now: Date },
): Promise<string> {
  const token = newSecret();
  await queries.insertLink(db, { ...link, hash: hashOf(token) });
  return token;
}

/** Returns what the link is for, without using it up. */
export function lookAtLink(db: Queryable, token: string, now: Date): Promise<queries.LinkRow | undefined> {
  return queries.findLink(db, hashOf(token), now);
}

export function takeLink(
  db: Tx,
  token: string,
  now: Date,
): Promise<Pick<queries.LinkRow, 'kind' | 'person_id'> | undefined> {
  return queries.takeLink(db, hashOf(token), now);
}

/** Counts a code that is about to be checked. Returns whether the link may try it. */
export function takeCode(db: Queryable, token: string): Promise<boolean> {
  return queries.takeCode(db, hashOf(token));
}

/** Returns the secret of a new session; only its hash is stored. */
export async function beginSession(
  db: Queryable,
  session: Visit & { personId: number | null; now: Date },
): Promise<string> {
  const secret = newSecret();
  const userAgent = session.userAgent.slice(0, MAX_USER_AGENT);
  await queries.insertSession(db, { ...session, userAgent, hash: hashOf(secret) });
  return secret;
}

/** Exchanges the operator's token, once, for the secret of a new session. null for an unknown, used or expired one. */
export async function signIn(db: Db, token: string, now: Date, visit?: Visit): Promise<string | null> {
  return db.tx(async (tx) => {
    const link = await lookAtLink(tx, token, now);
    if (link?.kind !== 'operator' || (await takeLink(tx, token, now)) === undefined) return null;
    return beginSession(tx, { ...(visit ?? { address: '', userAgent: '' }), personId: null, now });
  });
}

export async function signOut(db: Queryable, secret: string): Promise<void> {
  await queries.deleteSession(db, hashOf(secret));
}

/** Ends every session and deletes all unused links. Returns how many of each. */
export async function endSessions(db: Queryable): Promise<{ sessions: number; links: number }> {
  return queries.deleteAllSessions(db);
}

/** 256 random bits. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
