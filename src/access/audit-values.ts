import { randomBytes } from 'node:crypto';
import type { Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

/** Personal data of a shop's customer shown in an entry of the audit log. */
export interface PersonalValues {
  about: { customerId: number } | { contactId: number };
  before: Record<string, unknown> | null;
  after: Record<string, unknown>;
}

const SALT_BYTES = 16;

/**
 * Stores the values next to the entry and returns the hash that the entry contains. For a person erased meanwhile nothing is stored, and
 * the hash can no longer prove anything. An erasure that begins later waits for this transaction and deletes the values.
 */
export async function storePersonalValues(
  tx: Tx,
  companyId: number,
  entryId: number,
  { about, before, after }: PersonalValues,
): Promise<string> {
  const customerId = 'customerId' in about ? about.customerId : null;
  const contactId = 'contactId' in about ? about.contactId : null;
  const salt = randomBytes(SALT_BYTES);
  const [row] = await tx.query<{ hash: string }>(sql`
    with given as (select ${{ before, after }}::jsonb as shown),
      stored as (
        insert into audit_values (company_id, entry_id, customer_id, contact_id, salt, shown)
        select ${companyId}, ${entryId}, ${customerId}::bigint, ${contactId}::bigint, ${salt}, shown from given
        where exists (select from customers c where c.company_id = ${companyId} and c.id = ${customerId} and c.erased_at is null for key share)
          or exists (select from contacts p where p.company_id = ${companyId} and p.id = ${contactId} for key share)
      )
    select encode(sha256(${salt}::bytea || convert_to(shown::text, 'UTF8')), 'hex') as hash from given`);
  return row!.hash;
}

/** Deletes the values of up to 1,000 entries about these people; the entries stay. Returns the highest entry id, null for none. */
export async function erasePersonalValues(
  tx: Tx,
  companyId: number,
  { customerIds, contactIds }: { customerIds: number[]; contactIds: number[] },
): Promise<number | null> {
  const [row] = await tx.query<{ last: number | null }>(sql`
    with gone as (
      delete from audit_values where company_id = ${companyId} and entry_id in (
        (select entry_id from audit_values where company_id = ${companyId} and customer_id = any(${customerIds}::bigint[]) limit 500)
        union all
        (select entry_id from audit_values where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[]) limit 500))
      returning entry_id
    )
    select max(entry_id) as last from gone`);
  return row!.last;
}
