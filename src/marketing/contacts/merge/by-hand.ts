import { recordAuditEntry } from '../../../access/audit.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { AppError, invalidField } from '../../../errors.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { INITIAL_BY_API } from '../../../recipients/consent.ts';
import { getContact } from '../load.ts';
import type { ContactRecord } from '../record.ts';
import { unwrap } from '../upsert/input.ts';
import { bulkUpsert } from '../upsert/upsert.ts';
import type { ContactMergeInput } from './contract.ts';

/**
 * Merges the contact `other_contact_id` into `into`. If it was merged already, the request is a repetition and changes nothing. Throws
 * not_found, validation_failed, contact_conflict.
 */
export async function mergeContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  into: number,
  { other_contact_id: from }: ContactMergeInput,
): Promise<ContactRecord> {
  const { companyId, actor, now } = caller;
  if (from === into) {
    await getContact(db, companyId, into);
    throw invalidField('other_contact_id', 'other_contact_id must name another contact', 'not_allowed');
  }
  const upsert = { contactId: into, merges: [from], patch: {}, initial: INITIAL_BY_API, now };
  return write(db, caller, async (tx) => {
    const [settled] = await bulkUpsert(tx, companyId, [upsert], { withLists: true, suppressions });
    if (!settled!.ok && settled!.error instanceof AppError && settled!.error.code === 'not_found') {
      const record = await getContact(tx, companyId, into);
      if (await wasMergedInto(tx, companyId, from, into)) return record;
      throw invalidField('other_contact_id', 'Unknown contact in other_contact_id', 'unknown');
    }
    const outcome = unwrap(settled!);
    const entry = { at: now, actor, action: 'contact.merge', target: `contact:${into}`, details: { from } };
    await recordAuditEntry(tx, companyId, entry);
    return getContact(tx, companyId, outcome.contactId);
  });
}

/** Whether the contact `from` was merged into `into`, according to the timeline. */
async function wasMergedInto(db: Queryable, companyId: number, from: number, into: number): Promise<boolean> {
  const rows = await db.query(sql`
    select from contact_activity
    where company_id = ${companyId} and contact_id = ${into} and type = 'merged' and data ->> 'contact_id' = ${String(from)}
    limit 1`);
  return rows.length > 0;
}
