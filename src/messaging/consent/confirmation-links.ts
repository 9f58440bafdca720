import type { Db, Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { confirmMembership } from '../../marketing/contacts/service.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';

/** What a link names with which somebody confirms that they want to be on a list. */
export type ConfirmationLink = { companyId: number; listId: number } & ({ messageId: number } | { contactId: number });

/**
 * The link is a word from the mailbox that it was sent to: for whoever has another address by now it says nothing. False where
 * there is nothing to confirm.
 */
export async function confirm(
  db: Db,
  suppressions: Suppressions,
  link: ConfirmationLink,
  { now, ...evidence }: { now: Date; ip: string; userAgent: string | undefined },
): Promise<boolean> {
  const { companyId, listId } = link;
  const asked = await ('messageId' in link ? findAsked(db, companyId, link.messageId) : findLastAsked(db, link));
  if (asked === undefined) return false;
  return confirmMembership(db, suppressions, { companyId, listId, ...asked }, now, evidence);
}

interface Asked {
  contactId: number;
  email: string;
}

/** Whose the message is now, and where it went; undefined where nobody knows any more. */
async function findAsked(db: Queryable, companyId: number, messageId: number): Promise<Asked | undefined> {
  const rows = await db.query<Asked>(sql`
    select contact_id as "contactId", recipient as email from ledger
    where company_id = ${companyId} and id = ${messageId} and contact_id is not null and recipient is not null`);
  return rows[0];
}

/** The last mail that asked the contact. */
async function findLastAsked(
  db: Queryable,
  { companyId, listId, contactId }: { companyId: number; listId: number; contactId: number },
): Promise<Asked | undefined> {
  const rows = await db.query<Asked>(sql`
    select contact_id as "contactId", recipient as email from ledger
    where company_id = ${companyId} and contact_id = ${contactId} and recipient is not null
      and starts_with(idem_key, 't:confirm:' || ${listId}::bigint || ':')
    order by id desc limit 1`);
  return rows[0];
}
