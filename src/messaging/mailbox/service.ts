import type { Db } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import { pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import type { Renderer } from '../compose/renderer.ts';
import type { MailboxQuery } from './contract.ts';
import * as queries from './queries.ts';

export type MailboxService = ReturnType<typeof createMailboxService>;

/** The messages that the built-in mailbox stored instead of a provider sending them. */
export function createMailboxService({ db, renderer }: { db: Db; renderer: Pick<Renderer, 'textFromHtml'> }) {
  async function list(companyId: number, query: MailboxQuery) {
    const { page, perPage, ...bounds } = pageOf(query);
    const to = query.to === undefined ? null : (normaliseEmail(query.to) ?? query.to);
    const { rows, total } = await queries.listMailbox(db.lists(companyId), companyId, to, bounds);
    return { rows: rows.map((row) => ({ ...entryOf(row), excerpt: row.excerpt })), total, page, perPage };
  }

  async function get(lane: Db, companyId: number, id: number) {
    const row = await queries.findMailboxMessage(lane, companyId, id);
    if (row === undefined) throw notFound(`message ${id}`);
    const { preview_text, html, headers } = row;
    const text = row.text ?? (html === null ? '' : await renderer.textFromHtml(companyId, html));
    return { ...entryOf(row), preview_text, html, text, headers };
  }

  return {
    /** Newest first. */
    listMailbox: list,

    /** Throws not_found if there is none. */
    async getLatestMailboxMessage(companyId: number, query: { to?: string }) {
      const { rows } = await list(companyId, { ...query, per_page: 1 });
      if (rows[0] === undefined) throw notFound('message: the mailbox is empty');
      return get(db.lists(companyId), companyId, rows[0].id);
    },

    /** Throws not_found. */
    getMailboxMessage: (companyId: number, id: number) => get(db.points(companyId), companyId, id),
  };
}

function entryOf(row: Omit<queries.MailboxEntry, 'excerpt'>) {
  const { id, channel, contact_id, sender, recipient, subject, message_id } = row;
  return {
    id,
    channel,
    contact_id,
    from: sender,
    to: recipient,
    subject,
    message_id,
    created_at: formatTimestamp(row.created_at),
  };
}
