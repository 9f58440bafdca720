import type { Tx } from '../db/pool.ts';
import { likeAnywhere, sql } from '../db/sql.ts';
import { SEPARATORS, type SearchText, type WordText } from '../marketing/contacts/erasure/personal-texts.ts';
import { lastOf } from './contact-queries.ts';

/** Deletes tracked links whose URL names the person; they stop working. */
export async function eraseLinks(
  tx: Tx,
  companyId: number,
  wanted: SearchText[],
  after: number,
): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with looked as materialized (
        select id, lower(url) as url from tracked_links where company_id = ${companyId} and id > ${after} order by id limit 2000
      ),
      found as materialized (
        select l.id from looked l
        join unnest(${wanted.map(({ part }) => part)}::text[], ${wanted.map(({ pattern }) => pattern)}::text[]) as t (part, pattern)
          on strpos(l.url, t.part) > 0 and l.url ~ t.pattern
      ),
      gone as (delete from tracked_links k using found where k.company_id = ${companyId} and k.id = found.id)
      select max(id) as id from looked`),
  );
}

/** Deletes views that people saved whose search or name names the person. */
export async function eraseViews(
  tx: Tx,
  companyId: number,
  wanted: SearchText[],
  after: number,
): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with looked as materialized (
        select id, array[lower(search), lower(name)] as texts from saved_views
        where company_id = ${companyId} and id > ${after} order by id limit 2000
      ),
      found as materialized (
        select distinct l.id from looked l cross join unnest(l.texts) as x (text)
        join unnest(${wanted.map(({ part }) => part)}::text[], ${wanted.map(({ pattern }) => pattern)}::text[]) as t (part, pattern)
          on strpos(x.text, t.part) > 0 and x.text ~ t.pattern
      ),
      gone as (delete from saved_views v using found where v.company_id = ${companyId} and v.id = found.id)
      select max(id) as id from looked`),
  );
}

export interface ErasedPeople {
  /** The contacts and those merged into them. */
  contactIds: number[];
  customerIds: number[];
  wanted: SearchText[];
  /** Looked for in responses that repeat names, rules and file names. */
  words: WordText[];
  /** Responses to later requests are about somebody else. */
  until: Date;
}

/**
 * Empties the responses stored for Idempotency-Keys that show the contacts, their messages or runs, or contain one of the texts: a
 * repeated request gets `{}`. Previews and trials of flows show any contact and change nothing: all are deleted, and a repeated
 * request is executed again. Responses of the commerce API (`success`) are about customers, those about carts also about guests. Returns the last key that was scanned.
 */
export async function eraseResponses(
  tx: Tx,
  companyId: number,
  { contactIds, customerIds, wanted, words, until }: ErasedPeople,
  after: string,
): Promise<string | null> {
  const parts = wanted.map(({ part }) => likeAnywhere(part));
  const patterns = wanted.map(({ pattern }) => pattern);
  const customers = customerIds.map(
    (id) =>
      `"customer_id" ?: ?${id}[,}]|^{"success":true,"data":{"id" ?: ?${id}, ?(?:"revision" ?: ?[0-9]+, ?)?"email"`,
  );
  const guestCarts = wanted.map(({ part }) => likeAnywhere(part.toLowerCase()));
  const [, sentBy = `${Number.MIN_SAFE_INTEGER}`, key = ''] = /^(-?\d+) (.*)$/s.exec(after) ?? [];
  const rows = await tx.query<{ last: string }>(sql`
    with looked as materialized (
      select sent_by, key, body, created_at from idempotency_keys
      where company_id = ${companyId} and (sent_by, key) > (${sentBy}::bigint, ${key})
        and not starts_with(body, '{"event_id":')
      order by sent_by, key limit 1000
    ),
    found as materialized (
      select sent_by, key, preview from (
        select sent_by, key, body, starts_with(body, '{"subject":')
          or starts_with(body, '{"flow_id":') and strpos(left(body, 50), ',"enters":') > 0 as preview
        from looked where created_at <= ${until} and body <> '{}'
      ) k
      where case
        -- Segments, imports, views and the like.
        when body ~ '^{"(segment|flow|list|campaign|template|form)_id" ?:|^{"success":true,"data":{"id" ?: ?[0-9]+, ?"(format|list)" ?:'
          and exists (
            select from (select translate(lower(body), ${SEPARATORS}, '') as words offset 0) x
            join unnest(${words.map(({ part }) => part)}::text[], ${words.map(({ pattern }) => pattern)}::text[]) as w (part, pattern)
              on strpos(x.words, w.part) > 0 and body ~* w.pattern) then true
        when starts_with(body, '{"success":') then body ~ any(${customers}::text[])
          or body ~ '^{"success":true,"data":{"id" ?: ?[0-9]+,"status":"[a-z]+","origin":' and body like any(${guestCarts}::text[])
          -- Payments and refunds.
          or body ~ '^{"success":true,"data":{"id":[0-9]+,("cart_id":[0-9a-z]+,)?"order_id":[0-9]' and exists (
            select from orders o
            where o.company_id = ${companyId} and o.customer_id = any(${customerIds}::bigint[])
              and o.id = substring(body from '"order_id":([0-9]+)')::bigint)
        when preview then cardinality(${contactIds}::bigint[]) > 0
        else case
            when starts_with(body, '{"contact_id":') then
              split_part(left(body, 50), ',', 1) = any(${contactIds.map((id) => `{"contact_id":${id}`)}::text[])
              and starts_with(split_part(left(body, 50), ',', 2), '"email":')
            -- The first one is whose message or run it is: in texts before it the quotes are escaped.
            when starts_with(body, '{"message_id":') or starts_with(body, '{"run_id":') then
              substring(body from '"contact_id":([0-9]+)') = any(${contactIds.map(String)}::text[])
            else false
          end
          -- Those about lists repeat the addresses as the client wrote them.
          or case when starts_with(body, '{"list_id":') then lower(body) else body end like any(${parts}::text[])
            and case when starts_with(body, '{"list_id":') then lower(body) else body end ~ any(${patterns}::text[])
      end
    ),
    forgotten as (
      delete from idempotency_keys
      where company_id = ${companyId} and (sent_by, key) in (select sent_by, key from found where preview)
    ),
    emptied as (
      update idempotency_keys set body = '{}'
      where company_id = ${companyId} and (sent_by, key) in (select sent_by, key from found where not preview)
    )
    select sent_by || ' ' || key as last from looked order by sent_by desc, key desc limit 1`);
  return rows[0]?.last ?? null;
}
