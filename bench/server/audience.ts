import type pg from 'pg';
import { FIRST_NAMES, LAST_NAMES } from '../names.ts';

/** One contact in so many has a name with a sequence of letters that no other name contains. */
export const RARE_EVERY = 50_000;
export const RARE_NAME = 'Qxwerth';
const DAYS = 365;

/** The ids of an audience, both ends included. */
export interface IdRange {
  first: number;
  last: number;
}

/** Adds contacts of whom one in twenty has unsubscribed and one in fifty bounced, with tags and properties. */
export async function addContacts(client: pg.Client, companyId: number, count: number): Promise<IdRange> {
  await client.query(
    `insert into contacts (company_id, external_id, email, phone, first_name, last_name, source, tags, properties,
       email_consent, email_bounced, search, created_at, updated_at)
     select $1, n, email, '+3161' || lpad(n::text, 7, '0'), first, last, (array['web', 'shop', 'import'])[1 + n % 3],
       case when n % 10 = 0 then array['vip', 'newsletter'] when n % 3 = 0 then array['newsletter'] else '{}' end,
       jsonb_build_object('plan', (array['free', 'free', 'basic', 'pro'])[1 + n % 4], 'age', 18 + n % 60,
         'city', (array['Utrecht', 'Berlin', 'Porto', 'Split', 'Gent'])[1 + n % 5]),
       case when n % 20 = 7 then 'unsubscribed' else 'subscribed' end, n % 50 = 9,
       lower(first || ' ' || last || chr(10) || email), at, at
     from (
       select n, first, last, lower(first || '.' || last) || n || '@mail-' || n % 97 || '.example' as email,
         now() - n % ${DAYS} * interval '1 day' as at
       from (
         select n, ($3::text[])[1 + n % ${FIRST_NAMES.length}] as first,
           case when n % ${RARE_EVERY} = 0 then $5 else ($4::text[])[1 + n % ${LAST_NAMES.length}] end as last
         from generate_series(1, $2::int) n
       ) named
     ) people`,
    [companyId, count, FIRST_NAMES, LAST_NAMES, RARE_NAME],
  );
  const { rows } = await client.query<{ first: string; last: string }>(
    'select min(id) as first, max(id) as last from contacts where company_id = $1',
    [companyId],
  );
  return { first: Number(rows[0]!.first), last: Number(rows[0]!.last) };
}

/** Adds a list that contains every third contact; returns its id. */
export async function addList(client: pg.Client, companyId: number): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `insert into lists (company_id, name, created_at, updated_at) values ($1, 'Newsletter', now(), now()) returning id`,
    [companyId],
  );
  await client.query(
    `insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select company_id, $2, id, 'active', now(), now() from contacts where company_id = $1 and id % 3 = 0`,
    [companyId, rows[0]!.id],
  );
  return Number(rows[0]!.id);
}

/** Adds events of the last year: views, carts, orders and deliveries, newest last. Half of them belong to a tenth of the contacts. */
export async function addEvents(
  client: pg.Client,
  companyId: number,
  { first, last }: IdRange,
  count: number,
): Promise<void> {
  await client.query(`select ensure_event_partitions((now() - interval '${DAYS} days')::date, 12)`);
  await client.query(
    `insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, external_id, data)
     select $1, nextval('event_ids'), at, at, contact, type, 'api', n,
       case type when 'product_viewed' then jsonb_build_object('product_id', (n % 5000)::text, 'product_name', 'Product ' || n % 5000)
         else jsonb_build_object('order_id', n::text, 'total', 10 + n % 240, 'items', jsonb_build_array(
           jsonb_build_object('product_id', (n % 5000)::text, 'quantity', 1 + n % 3, 'category',
             (array['tea', 'coffee', 'cups', 'kettles', 'books', 'gifts', 'honey', 'spices'])[1 + n % 8]))) end
     from (
       select n, now() - ($4::int - n) * (interval '${DAYS} days' / $4::int) as at,
         $2::bigint + (n * 7919::bigint) % (case when n % 2 = 0 then $3::bigint / 10 else $3::bigint end) as contact,
         (array['product_viewed', 'product_viewed', 'product_viewed', 'product_viewed', 'product_viewed', 'product_viewed',
           'cart_abandoned', 'order_placed', 'order_placed', 'order_completed'])[1 + (n / 7) % 10] as type
       from generate_series(1, $4::int) n
     ) happened`,
    [companyId, first, last - first + 1, count],
  );
}

/**
 * Adds e-mails sent during the last year. Of a hundred, one bounced, thirty were opened, a fifth of these again in the
 * days after, and five were clicked.
 */
export async function addMessages(
  client: pg.Client,
  companyId: number,
  { first, last }: IdRange,
  count: number,
): Promise<void> {
  await client.query(
    `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, status, due_at, origin, transport,
       created_at, handed_over_at, ended_at)
     select $1, 'bench:' || n, 'email', false, 2, $2::bigint + (n * 7919::bigint) % $3, 'sent', at, 'system', 'smtp', at, at, at
     from (
       select n, now() - ($4::int - n) * (interval '${DAYS} days' / $4::int) as at from generate_series(1, $4::int) n
     ) sent`,
    [companyId, first, last - first + 1, count],
  );
  await client.query(
    `insert into message_activity (company_id, message_id, type, contact_id, created_at, last_at)
     select company_id, id, type, contact_id, handed_over_at + interval '1 hour',
       case when type <> 'bounced' and id % 5 = 0 then handed_over_at + id % 20 * interval '1 day' end
     from messages m
     cross join lateral (values ('opened', 30), ('clicked', 5), ('bounced', 1)) kinds (type, share)
     where company_id = $1 and (id * 31 + length(type)) % 100 < share and (type <> 'bounced' or id % 100 > 50)`,
    [companyId],
  );
}
