import { recordAuditEntry } from '../../access/audit.ts';
import { deleteSessionsOf } from '../../access/session-queries.ts';
import type { Tx } from '../../db/pool.ts';
import * as queries from './queries.ts';

/**
 * Records that somebody used a link that was mailed to the person's address and shown to nobody. Whoever used the account before may have
 * been somebody else, who knew only the address: the first proof ends every session and deletes password, authenticator app, recovery codes
 * and passkeys. Returns false, and changes nothing, if the address was proven before.
 */
export async function proveAddress(tx: Tx, personId: number, now: Date): Promise<boolean> {
  if (!(await queries.recordProof(tx, personId, now))) return false;
  await queries.deleteCredentials(tx, personId);
  const ended = await deleteSessionsOf(tx, personId, null);
  const entry = { at: now, actor: `admin:${personId}`, action: 'person.prove', target: `person:${personId}` };
  for (const companyId of await queries.companiesOf(tx, personId)) {
    await recordAuditEntry(tx, companyId, { ...entry, details: { ended } });
  }
  return true;
}
