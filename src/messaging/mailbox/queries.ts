import { countRows, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Queryable } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
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
  const from = sql`from mailbox_messages m where m.company_id = ${companyId}
    ${recipient === null ? emptySql : sql`and m.recipient = ${recipient}`}`;
  const rows = await db.query<Counted<MailboxEntry>>(sql`
    select l.total as list_total, ${columns}
    from (${recipient === null ? storedTotal(companyId, 'mailbox_messages') : countRows(from)}) l
    left join (
      (${pageOfKeys(sql`select m.id ${from} order by m.id desc`, page)}) keys
      cross join lateral (select * from mailbox_messages m where m.company_id = ${companyId} and m.id = keys.id offset 0) m
    ) on true
    order by m.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & MailboxEntry => row.id !== null) };
}
