import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Contact } from '../contact.ts';
import type { ContactRow } from '../queries.ts';

/** The keys of those contacts that exist; takes no locks. */
export function findKeys(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Pick<Contact, 'email' | 'phone' | 'external_id'>[]> {
  return db.query(sql`
    select email, phone, external_id from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** The keys and consents of a removed contact. */
export type GoneContact = Pick<
  ContactRow,
  | 'id'
  | 'email'
  | 'phone'
  | 'external_id'
  | 'email_consent'
  | 'email_consent_source'
  | 'sms_consent'
  | 'sms_consent_source'
  | 'email_bounced'
>;

/** Deletes the contacts with their memberships, records the erasure, and returns those that existed. */
export function removeContacts(tx: Tx, companyId: number, ids: number[], now: Date): Promise<GoneContact[]> {
  return tx.query(sql`
    with gone as (
      delete from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])
      returning id, email, phone, external_id, email_consent, email_consent_source, sms_consent, sms_consent_source,
        email_bounced
    ),
    noted as (
      insert into contact_erasures (company_id, contact_id, erased_at)
      select ${companyId}, id, ${now} from gone
      on conflict (company_id, contact_id) do nothing
    )
    select id, email, phone, external_id, email_consent, email_consent_source, sms_consent, sms_consent_source, email_bounced
    from gone`);
}
