import type { Tx } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { recordAuditEntry } from './audit.ts';
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

/** Returns the person's id; the operator has no account. Throws forbidden_role. */
export function requirePerson(session: Session): number {
  if (session.personId === null) throw new AppError('forbidden_role', 'The operator has no account of their own');
  return session.personId;
}
