import type { Tx } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { recordAuditEntry } from './audit.ts';
import { lockWithSession } from './session-queries.ts';
import type { Session } from './sessions.ts';

/** Records a person's change to their own account in the audit log of each of their companies. */
export async function recordOwnChange(
  tx: Tx,
  session: Session,
  entry: { at: Date; action: string; details?: Record<string, unknown> },
): Promise<void> {
  for (const { company_id } of session.memberships) {
    await recordAuditEntry(tx, company_id, { ...entry, actor: session.actor, target: `person:${session.personId}` });
  }
}

/** To call first in a transaction that stores a credential. Throws missing_session if the session has ended meanwhile. */
export async function requireLive(tx: Tx, session: Session): Promise<void> {
  if (await lockWithSession(tx, requirePerson(session), session.id)) return;
  throw new AppError('missing_session', 'You are not signed in');
}

/** Returns the person's id; the operator has no account. Throws forbidden_role. */
export function requirePerson(session: Session): number {
  if (session.personId === null) throw new AppError('forbidden_role', 'The operator has no account of their own');
  return session.personId;
}
