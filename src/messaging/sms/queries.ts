import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** Returns the companies that send from the number. */
export async function findSendersCompanies(db: Queryable, number: string): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select company_id from companies
    where settings -> 'messaging' ->> 'sms_from' = ${number}
      or exists (select from jsonb_each_text(settings -> 'messaging' -> 'sms_senders') s where s.value = ${number})
    order by company_id`);
  return rows.map((row) => row.company_id);
}

/** Returns the companies that have a contact with the number. */
export async function findRecipientsCompanies(db: Queryable, number: string): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select co.company_id from companies co
    where exists (select from contacts c where c.company_id = co.company_id and c.phone = ${number})
    order by co.company_id`);
  return rows.map((row) => row.company_id);
}

/** Returns the contact with the number, locked until COMMIT so that it keeps the number. */
export async function lockByPhone(tx: Tx, companyId: number, number: string): Promise<number | null> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from contacts where company_id = ${companyId} and phone = ${number} for no key update`);
  return rows[0]?.id ?? null;
}

/** Returns recipient and contact of an SMS that was handed over, or null. */
export async function findHandedOver(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<{ contactId: number | null; recipient: string | null } | null> {
  const rows = await tx.query<{ contact_id: number | null; recipient: string | null }>(sql`
    select contact_id, recipient from ledger
    where company_id = ${companyId} and id = ${id} and channel = 'sms' and handed_over_at is not null`);
  const [row] = rows;
  return row === undefined ? null : { contactId: row.contact_id, recipient: row.recipient };
}

/** Records an unknown message as sent, because it was delivered. */
export async function markArrived(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await tx.query(sql`
    update messages set status = 'sent', reason = 'delivered', ended_at = ${now}
    where company_id = ${companyId} and id = ${id} and status = 'unknown'`);
}
