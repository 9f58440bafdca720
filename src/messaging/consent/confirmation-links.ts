import type { Db, Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { confirmConsent, confirmMembership } from '../../marketing/contacts/service.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';

/** In a link that confirms the consent to e-mail without a list. */
export const ANY_LIST = 0;

/** The content of a link that confirms a membership of a list, or the consent alone (double opt-in). */
export interface ConfirmationLink {
  companyId: number;
  /** Or ANY_LIST. */
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
 * Confirms a membership, or the consent, for the address that the link was sent to; a contact whose address has changed since stays unconfirmed. Returns
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
  const { askedAt, ...contact } = requested;
  if (listId === ANY_LIST) return confirmConsent(db, suppressions, { companyId, askedAt, ...contact }, now, evidence);
  return confirmMembership(db, suppressions, { companyId, listId, ...contact }, now, evidence);
}

interface ConfirmationRequest {
  contactId: number;
  email: string;
  askedAt: Date;
}

/** Returns the contact that owns the message now and the address it was sent to; undefined if they are no longer stored. */
async function findRequest(
  db: Queryable,
  companyId: number,
  messageId: number,
): Promise<ConfirmationRequest | undefined> {
  const rows = await db.query<ConfirmationRequest>(sql`
    select contact_id as "contactId", recipient as email, created_at as "askedAt" from ledger
    where company_id = ${companyId} and id = ${messageId} and contact_id is not null and recipient is not null`);
  return rows[0];
}
