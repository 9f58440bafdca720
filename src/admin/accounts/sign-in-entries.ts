import type { Logger } from 'pino';
import { recordAuditEntry } from '../../access/audit.ts';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import type { Visitor } from '../../http/api/endpoint.ts';
import { findCompaniesOf } from './queries.ts';

/* Sign-ins, in the audit log of each company that the person belongs to. */

type From = Pick<Visitor, 'address' | 'afterResponse'>;

export async function recordSignIn(tx: Tx, personId: number, address: string, at: Date): Promise<void> {
  await record(tx, personId, { at, actor: `admin:${personId}`, action: 'person.sign_in', details: { address } });
}

/** A link to choose a new password was asked for, by whoever knows the person's address. */
export async function recordForgotten(tx: Tx, personId: number, address: string, at: Date): Promise<void> {
  await record(tx, personId, { at, actor: 'public', action: 'person.forget_password', details: { address } });
}

/** A password was set by a link. */
export async function recordPassword(
  tx: Tx,
  personId: number,
  details: { address: string; ended: number },
  at: Date,
): Promise<void> {
  await record(tx, personId, { at, actor: `admin:${personId}`, action: 'person.password', details });
}

/** A sign-in, or the confirmation of a person who is signed in. */
type Failed = 'person.sign_in_failed' | 'person.confirm_failed';

/**
 * Returns what to call with the person whose password, code or passkey was wrong. The entries are written after the response, so that it
 * takes as long as for an account that does not exist.
 */
export function failedSignIn(
  { db, machineClock, log }: { db: Db; machineClock: Clock; log: Logger },
  { address, afterResponse }: From,
  action: Failed = 'person.sign_in_failed',
): (personId: number) => void {
  return (personId) => {
    const entry = { at: machineClock.now(), actor: 'public', action, details: { address } };
    afterResponse(async () => {
      try {
        await db.strangers.tx((tx) => record(tx, personId, entry));
      } catch (error) {
        log.error({ err: error, person_id: personId }, 'a failed sign-in could not be recorded in the audit log');
      }
    });
  };
}

async function record(
  tx: Tx,
  personId: number,
  entry: { at: Date; actor: string; action: string; details: Record<string, unknown> },
): Promise<void> {
  for (const companyId of await findCompaniesOf(tx, personId)) {
    await recordAuditEntry(tx, companyId, { ...entry, target: `person:${personId}` });
  }
}
