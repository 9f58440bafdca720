import type { Db, Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { confirmMembership } from '../../marketing/contacts/service.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';

/** The content of a link that confirms a membership of a list (double opt-in). */
export interface ConfirmationLink {
  companyId: number;
  listId: number;
  /** The message that asked. */
  messageId: number;
}

export interface Confirmation {
  now: Date;
  ip: string;
  userAgent: string | undefined;
}

/**
 * Confirms a membership for the address that the link was sent to; a contact whose address has changed since stays unconfirmed. Returns
 * false if there is nothing to confirm.
 */
export async function confirm(
  db: Db,
  suppressions: Suppressions,
  { companyId, listId, messageId }: ConfirmationLink,
  { now, ...evidence }: Confirmation,
): Promise<boolean> {
  const requested = await findRequest(db, companyId, messageId);
  if (requested === undefined) return false;
  return confirmMembership(db, suppressions, { companyId, listId, ...requested }, now, evidence);
}

interface ConfirmationRequest {
  contactId: number;
  email: string;
}

/** Returns the contact that owns the message now and the address it was sent to; undefined if they are no longer stored. */
async function findRequest(
  db: Queryable,
  companyId: number,
  messageId: number,
): Promise<ConfirmationRequest | undefined> {
  const rows = await db.query<ConfirmationRequest>(sql`
    select contact_id as "contactId", recipient as email from ledger
    where company_id = ${companyId} and id = ${messageId} and contact_id is not null and recipient is not null`);
  return rows[0];
}
