import { grants } from '../../access/scopes.ts';
import type { AdminSessions, Session } from '../../access/sessions.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { findContactsOfCustomer } from '../../marketing/contacts/service.ts';
import {
  type ContactCustomer,
  type CustomerContact,
  type CustomerName,
  type SentMessage,
  TIMELINE_KINDS,
  type TimelineEntry,
} from './contract.ts';
import * as queries from './queries.ts';

/** Entries of each kind in a timeline. */
const MOST_ENTRIES = 200;

export type ActivityService = ReturnType<typeof createActivityService>;

/** The history of a customer or an order in both commerce and marketing, for people. */
export function createActivityService({ db, sessions }: { db: Db; sessions: Pick<AdminSessions, 'standingIn'> }) {
  return {
    /** Throws not_found. */
    async getContact(companyId: number, customerId: number): Promise<CustomerContact> {
      const lane = db.points(companyId);
      const { email } = found(await queries.findEmail(lane, companyId, customerId), 'customer');
      return { contact_id: await contactOf(lane, companyId, customerId, email) };
    },

    /** Throws not_found. */
    async getCustomer(companyId: number, contactId: number): Promise<ContactCustomer> {
      return found(await queries.findCustomerOfContact(db.points(companyId), companyId, contactId), 'contact');
    },

    async getCustomerNames(companyId: number, ids: string): Promise<{ customers: CustomerName[] }> {
      return {
        customers: await queries.findCustomerNames(db.points(companyId), companyId, ids.split(',').map(Number)),
      };
    },

    /** Newest first. Throws not_found. */
    async listMessages(companyId: number, customerId: number, query: PageQuery): Promise<Page<SentMessage>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const { email } = found(await queries.findEmail(lane, companyId, customerId), 'customer');
      const contactId = await contactOf(lane, companyId, customerId, email);
      if (contactId === null) return { rows: [], total: 0, ...page };
      const [total, rows] = await Promise.all([
        queries.countMessages(lane, companyId, contactId),
        queries.listMessages(lane, companyId, contactId, page),
      ]);
      return { rows: rows.map((row) => ({ ...row, at: row.at.toISOString() })), total, ...page };
    },

    /** Latest first; includes messages if the role may see them. Throws not_found. */
    async getOrderTimeline(
      companyId: number,
      orderId: number,
      session: Session | null,
    ): Promise<{ timeline: TimelineEntry[] }> {
      const lane = db.lists(companyId);
      const order = found(await queries.findOrder(lane, companyId, orderId), 'order');
      const seesMessages = session !== null && grants(sessions.standingIn(session, companyId).scopes, 'marketing:read');
      const [entries, messages] = await Promise.all([
        queries.listEntriesOfOrder(lane, companyId, orderId, MOST_ENTRIES),
        seesMessages ? messagesOf(lane, companyId, orderId, order) : [],
      ]);
      const all = [...entries, ...messages].sort(latestFirst);
      return { timeline: all.map((entry) => ({ ...entry, at: entry.at.toISOString() })) };
    },
  };
}

/** Entries written by one request share a timestamp; then kinds are ordered by cause and effect. */
function latestFirst(a: Entry, b: Entry): number {
  const kinds = TIMELINE_KINDS.indexOf(b.kind) - TIMELINE_KINDS.indexOf(a.kind);
  return b.at.getTime() - a.at.getTime() || kinds || b.id - a.id;
}

type Entry = Omit<TimelineEntry, 'at'> & { at: Date };

async function messagesOf(
  db: Queryable,
  companyId: number,
  orderId: number,
  { customer_id, created_at: placedAt }: queries.OrderRow,
): Promise<Entry[]> {
  const contactId = await contactOf(db, companyId, customer_id, null);
  if (contactId === null) return [];
  const rows = await queries.listMessagesOfOrder(db, companyId, { contactId, orderId, placedAt }, MOST_ENTRIES);
  return rows.map(({ message_id, channel, status, title, at }) => ({
    kind: 'message',
    id: message_id,
    at,
    type: channel,
    to: status,
    text: title,
    from: null,
    points: null,
    actor: null,
    actor_name: null,
  }));
}

async function contactOf(
  db: Queryable,
  companyId: number,
  customerId: number,
  email: string | null,
): Promise<number | null> {
  const [contactId = null] = await findContactsOfCustomer(db, companyId, customerId, email);
  return contactId;
}
