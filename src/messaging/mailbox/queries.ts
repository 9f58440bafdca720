import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

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
 * A message that is there already is left as it is. One whose contact was erased since it was composed is not kept: its claim names
 * no recipient any more, and an erasure waits for those that are read here.
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

export interface StoredMailboxRow extends MailboxRow {
  created_at: Date;
}

export async function findMailboxMessage(
  db: Queryable,
  companyId: number,
  id: number,
): Promise<StoredMailboxRow | undefined> {
  const rows = await db.query<StoredMailboxRow>(sql`
    select id, channel, contact_id, sender, recipient, subject, preview_text, html, text, headers, message_id, created_at
    from mailbox_messages where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export type MailboxEntry = Pick<
  StoredMailboxRow,
  'id' | 'channel' | 'contact_id' | 'sender' | 'recipient' | 'subject' | 'message_id' | 'created_at'
> & { excerpt: string | null };

type Counted<T> = { list_total: number } & { [K in keyof T]: T[K] | null };

/** Newest first; with a recipient, only what went to exactly this address. */
export async function listMailbox(
  db: Queryable,
  companyId: number,
  recipient: string | null,
  page: { skip: number; take: number },
): Promise<{ rows: MailboxEntry[]; total: number }> {
  const columns = sql`m.id, m.channel, m.contact_id, m.sender, m.recipient, m.subject, m.message_id, m.created_at,
    case when m.channel = 'sms' then m.text else m.preview_text end as excerpt`;
  const rows = await db.query<Counted<MailboxEntry>>(
    recipient === null
      ? sql`
        select l.total as list_total, ${columns}
        from locate_page(${companyId}, 'mailbox', null, null, null, ${page.skip}) l
        left join lateral (
          select * from mailbox_messages m where m.company_id = ${companyId} and m.id < l.below
          order by m.id desc offset l.rest limit ${page.take}
        ) m on true
        order by m.id desc`
      : sql`
        select l.total as list_total, ${columns}
        from (
          select count(*) as total from mailbox_messages
          where company_id = ${companyId} and recipient = ${recipient}
        ) l
        left join lateral (
          select * from mailbox_messages m where m.company_id = ${companyId} and m.recipient = ${recipient}
          order by m.id desc offset ${page.skip} limit ${page.take}
        ) m on true
        order by m.id desc`,
  );
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & MailboxEntry => row.id !== null) };
}
