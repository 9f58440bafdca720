import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';

type ActivityType = 'status_changed' | 'list_changed' | 'merged' | 'preferences_changed';

interface DependentEntry {
  id: number;
  at: Date;
  data: object;
}

/** Up to `limit` entries with ids below `before`. */
interface EntryPage {
  before: number;
  limit: number;
}

interface EventPage extends EntryPage {
  /** Events of orders, or all others; absent: both. */
  of?: 'orders' | 'others';
}

/** Events of the contact, the last received first. */
export function findEventEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: EventPage,
): Promise<DependentEntry[]> {
  return db.query<DependentEntry>(eventEntries(companyId, contactId, page));
}

const OF = {
  orders: sql`and starts_with(event_type, 'order_')`,
  others: sql`and not starts_with(event_type, 'order_')`,
};

export function eventEntries(companyId: number, contactId: number, page: EventPage): Statement {
  return sql`
    select event_id as id, received_at as at, json_build_object('event_id', event_id, 'event_type', event_type,
      'event_data', data, 'occurred_at', to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'source', source) as data
    from events where company_id = ${companyId} and contact_id = ${contactId} and event_id < ${page.before}
      ${page.of === undefined ? sql`` : OF[page.of]}
    order by event_id desc limit ${page.limit}`;
}

/** Messages of the contact with their subject and activity, the last queued first. */
export function findMessageEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: EntryPage,
): Promise<DependentEntry[]> {
  return db.query<DependentEntry>(messageEntries(companyId, contactId, page));
}

/** The subject of an e-mail `m`: as it was sent where the built-in mailbox has it, otherwise the one that it was written with. */
const SUBJECT = rawSql(`coalesce(
  (select nullif(b.subject, '') from mailbox_messages b where b.company_id = m.company_id and b.id = m.id),
  (select coalesce(v.variant ->> 'subject', k.subject, t.subject)
   from campaigns k
   left join lateral (
     select e as variant from jsonb_array_elements(k.variants) e where e ->> 'key' = m.variant limit 1) v on true
   -- As it is composed: a variant with its own content does not use the template of the campaign.
   left join templates t on t.company_id = k.company_id and v.variant -> 'content' is null
     and t.id = coalesce((v.variant ->> 'template_id')::bigint, k.template_id)
   where k.company_id = m.company_id and k.id = m.campaign_id),
  (select coalesce(step #>> '{config,subject}', t.subject)
   from messages w
   join flow_versions f on f.company_id = w.company_id and f.flow_id = w.flow_id and f.version = w.flow_version
   cross join jsonb_array_elements(f.definition -> 'steps') step
   left join templates t on t.company_id = w.company_id and t.id = (step #>> '{config,template_id}')::bigint
   where w.company_id = m.company_id and w.id = m.id and step ->> 'step_id' = m.step_id))`);

export function messageEntries(companyId: number, contactId: number, page: EntryPage): Statement {
  return sql`
    select m.id, m.created_at as at, json_build_object('message_id', m.id, 'channel', m.channel,
      'subject', case when m.channel = 'email' then ${SUBJECT} end, 'status', m.status,
      'reason', m.reason, 'origin', m.origin, 'flow_id', m.flow_id, 'campaign_id', m.campaign_id,
      'recipient', m.recipient,
      'title', coalesce((select k.name from campaigns k where k.company_id = m.company_id and k.id = m.campaign_id),
        (select f.name from flows f where f.company_id = m.company_id and f.id = m.flow_id)),
      'sent_at', to_char(m.handed_over_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'activity', coalesce((
        select json_agg(json_strip_nulls(json_build_object('type', a.type,
          'at', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
          'last_at', to_char(a.last_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
          'url', l.url, 'order_id', o.order_id, 'source', o.source,
          'amount', a.amount::float8 / 10 ^ k.currency_exponent,
          'currency', case when a.amount is not null then k.currency end)) order by a.created_at, a.type, a.reference)
        from message_activity a
        join companies k on k.company_id = a.company_id
        left join tracked_links l on a.type = 'link_clicked' and l.company_id = a.company_id and l.id = a.reference
        left join lateral (
          select e.data ->> 'order_id' as order_id, e.source from events e
          where e.company_id = a.company_id and e.event_id = a.reference limit 1
        ) o on a.type = 'converted'
        where a.company_id = m.company_id and a.message_id = m.id and a.type <> 'refunded'), '[]')) as data
    from ledger m where m.company_id = ${companyId} and m.contact_id = ${contactId} and m.id < ${page.before}
    order by m.id desc limit ${page.limit}`;
}

/** Changes of the contact itself, newest first. */
export function findActivityEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  page: EntryPage,
): Promise<(DependentEntry & { type: ActivityType })[]> {
  return db.query<DependentEntry & { type: ActivityType }>(sql`
    select id, created_at as at, type, data from contact_activity
    where company_id = ${companyId} and contact_id = ${contactId} and id < ${page.before}
    order by id desc limit ${page.limit}`);
}

export interface ActivityRow {
  contactId: number;
  type: 'status_changed' | 'merged' | 'preferences_changed';
  data: object;
  at: Date;
}

export function insertActivity(tx: Tx, companyId: number, rows: ActivityRow[]): Promise<unknown> {
  return tx.query(sql`
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, type, data, at
    from unnest(${rows.map((r) => r.contactId)}::bigint[], ${rows.map((r) => r.type)}::text[],
      ${rows.map((r) => JSON.stringify(r.data))}::jsonb[], ${rows.map((r) => r.at)}::timestamptz[])
      as v (contact_id, type, data, at)`);
}
