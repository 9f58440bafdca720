import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface Reported {
  address: string;
  contact_id: number;
  /** The last mail sent to this address. */
  last_message_id: number | null;
}

/** Locks the contacts with these addresses until COMMIT. Returns them with the mail that a report without a Message-ID refers to. */
export function lockReported(tx: Tx, companyId: number, reports: { address: string }[]): Promise<Reported[]> {
  return tx.query<Reported>(sql`
    select c.email as address, c.id as contact_id, (
      select m.id from messages m
      where m.company_id = ${companyId} and m.contact_id = c.id and m.channel = 'email' and m.recipient = c.email
        and m.status in ('sent', 'unknown')
      order by m.id desc limit 1) as last_message_id
    from contacts c
    where c.company_id = ${companyId} and c.email = any(${reports.map((report) => report.address)}::text[])
    order by c.id for no key update of c`);
}

/** Returns whether the notification is new; a concurrent duplicate waits for the first to finish. */
export async function rememberNotification(tx: Tx, companyId: number, key: Buffer, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into bounce_notifications (company_id, key, received_at) values (${companyId}, ${key}, ${now})
    on conflict (company_id, key) do nothing returning key`);
  return rows.length > 0;
}

/** Records that a mail to these contacts was first accepted and later reported as refused. */
export async function noteReported(tx: Tx, companyId: number, contactIds: number[], now: Date): Promise<void> {
  await tx.query(sql`
    update soft_bounces set reported_at = ${now}
    where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[])`);
}
