import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

export interface MailboxRow {
  id: number;
  channel: 'email' | 'sms';
  contact_id: number | null;
  sender: string;
  recipient: string;
  subject: string | null;
  preview_text: string | null;
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  message_id: string | null;
}

/**
 * Leaves a message that already exists unchanged. A message whose contact was erased after it was composed is not stored: its claim no
 * longer has a recipient, and an erasure waits for the claims read here.
 */
export async function insertMailboxMessages(
  db: Queryable,
  companyId: number,
  rows: MailboxRow[],
  now: Date,
): Promise<void> {
  const column = <K extends keyof MailboxRow>(name: K): MailboxRow[K][] => rows.map((row) => row[name]);
  await db.query(sql`
    insert into mailbox_messages (company_id, id, channel, contact_id, sender, recipient, subject, preview_text, html, text,
      headers, message_id, created_at)
    select ${companyId}, v.*, ${now}
    from unnest(${column('id')}::bigint[], ${column('channel')}::text[], ${column('contact_id')}::bigint[],
      ${column('sender')}::text[], ${column('recipient')}::text[], ${column('subject')}::text[],
      ${column('preview_text')}::text[], ${column('html')}::text[], ${column('text')}::text[],
      ${rows.map((row) => JSON.stringify(row.headers))}::jsonb[], ${column('message_id')}::text[]) as v (id)
    where (select c.recipient from message_claims c
      where c.company_id = ${companyId} and c.message_id = v.id for share) is not null
    on conflict (company_id, id) do nothing`);
}
