import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { MailboxRow } from '../send/transports/mailbox-queries.ts';

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

/** Newest first; with a recipient, only messages sent to exactly this address. */
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
