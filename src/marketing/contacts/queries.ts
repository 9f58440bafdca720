import type { Queryable, Tx } from '../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { Membership } from '../lists/membership.ts';
import { type Contact, searchText } from './contact.ts';

export interface ContactRow extends Contact {
  id: number;
}

export interface ContactKeys {
  ids: number[];
  externalIds: string[];
  emails: string[];
  phones: string[];
}

/** First numbers of the pairs that advisory locks of contacts are; the second is a hash of the company's id. */
const KEYS_LOCK = 3_002;
const MERGE_LOCK = 3_003;
/** Apart from the seeds of the locks of Idempotency-Keys, which are company ids. */
const KEY_SEED = 2 ** 52;

/** Whether any address is suppressed, for which nobody has to wait a turn otherwise. To be asked behind the locks of keys. */
export async function suppressesAny(tx: Tx, companyId: number): Promise<boolean> {
  const rows = await tx.query<{ suppresses: boolean }>(sql`
    select exists (select from suppressions where company_id = ${companyId}) as suppresses`);
  return rows[0]!.suppresses;
}

/** The keys of those of the contacts that there are, unlocked. */
export function findKeys(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Pick<Contact, 'email' | 'phone' | 'external_id'>[]> {
  return db.query(sql`
    select email, phone, external_id from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** Merges hold this until their COMMIT, from before they look at the contacts' messages. */
export function lockMergesShared(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock_shared(${MERGE_LOCK}, hashint8(${companyId}))`);
}

/**
 * Waits for merges that have begun, and lets none begin until COMMIT: whose a message is, as it is read from now on, stays so.
 * Taken behind the campaign's row, of which merges take none, and before rows of messages.
 */
export function holdMerges(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(${MERGE_LOCK}, hashint8(${companyId}))`);
}

/** Locks the given keys of the company's contacts, in their order, whether there are contacts that have them or not. */
export function lockKeys(tx: Tx, companyId: number, keys: string[]): Promise<unknown> {
  return tx.query(sql`
    with company as materialized (select pg_advisory_xact_lock_shared(${KEYS_LOCK}, hashint8(${companyId})))
    select pg_advisory_xact_lock(hashtextextended(key, ${companyId}::bigint + ${KEY_SEED}::bigint))
    from company, unnest(${keys}::text[]) key`);
}

/** Locks all keys of the company's contacts at once. */
export function lockAllKeys(tx: Tx, companyId: number): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(${KEYS_LOCK}, hashint8(${companyId}))`);
}

const columns = sql`c.id, c.external_id, c.email, c.phone, c.first_name, c.last_name, c.source, c.tags, c.properties,
  c.email_consent, c.email_consent_at, c.email_consent_source, c.sms_consent, c.sms_consent_at, c.sms_consent_source,
  c.email_bounced, c.marketing_frequency, c.paused_until, c.status, c.created_at, c.updated_at`;

/** Of a recordset. */
const consentColumns = sql`email_consent text, email_consent_at timestamptz, email_consent_source text, sms_consent text,
  sms_consent_at timestamptz, sms_consent_source text, email_bounced boolean, marketing_frequency text,
  paused_until timestamptz`;

/** The contacts that have any of the keys, locked in the order of their ids. */
export function lockContactsByKeys(tx: Tx, companyId: number, keys: ContactKeys): Promise<ContactRow[]> {
  return tx.query<ContactRow>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and ${haveAny(keys)}
    order by c.id for no key update`);
}

/** As far as events tell of contacts. */
export const KNOWN_FIELDS = ['external_id', 'email', 'phone', 'first_name', 'last_name'] as const;
export type KnownField = (typeof KNOWN_FIELDS)[number];

/** With the fields that were asked for: what a thousand events a second need not read is not read. */
export type KnownContact = Pick<ContactRow, 'id'> & Partial<Pick<ContactRow, KnownField>>;

/** The contacts that have any of the keys, unlocked, in no order. */
export function findKnownContacts(
  db: Queryable,
  companyId: number,
  keys: ContactKeys,
  fields: readonly KnownField[],
): Promise<KnownContact[]> {
  const columns = rawSql(['id', ...fields].map((field) => `c.${field}`).join(', '));
  return db.query<KnownContact>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and ${haveAny(keys)}`);
}

/** Only the kinds of keys that there are: a look-up by one kind is planned once, one by four anew for each batch. */
function haveAny({ ids, externalIds, emails, phones }: ContactKeys): Statement {
  const conditions: Statement[] = [];
  if (ids.length > 0) conditions.push(sql`c.id = any(${ids}::bigint[])`);
  if (externalIds.length > 0) conditions.push(sql`c.external_id = any(${externalIds}::text[])`);
  if (emails.length > 0) conditions.push(sql`c.email = any(${emails}::text[])`);
  if (phones.length > 0) conditions.push(sql`c.phone = any(${phones}::text[])`);
  return conditions.length === 0 ? rawSql('false') : sql`(${joinSql(conditions, ' or ')})`;
}

/** The memberships of the contacts that have any of the keys, by list. */
export function findMembershipsByKeys(
  db: Queryable,
  companyId: number,
  keys: ContactKeys,
): Promise<(Membership & { contact_id: number })[]> {
  return db.query(sql`
    select m.contact_id, m.list_id, m.status
    from contacts c
    join list_memberships m on m.company_id = c.company_id and m.contact_id = c.id
    join lists l on l.company_id = m.company_id and l.id = m.list_id
    where c.company_id = ${companyId} and ${haveAny(keys)} and l.deleted_at is null
    order by m.list_id`);
}

export interface ListedContactRow extends ContactRow {
  lists: Membership[];
}

/** With the memberships of each, by list. Sent in one go: a look at the lists for each contact took twice as long as both. */
export async function findContactsById(db: Queryable, companyId: number, ids: number[]): Promise<ListedContactRow[]> {
  const [contacts, memberships] = await Promise.all([
    // Tags as JSON, which is read in less time than an array.
    db.query<ContactRow>(sql`
      select c.id, c.external_id, c.email, c.phone, c.first_name, c.last_name, c.source, to_json(c.tags) as tags,
        c.properties, c.email_consent, c.email_consent_at, c.email_consent_source, c.sms_consent, c.sms_consent_at,
        c.sms_consent_source, c.email_bounced, c.marketing_frequency, c.paused_until, c.status, c.created_at, c.updated_at
      from contacts c where c.company_id = ${companyId} and c.id = any(${ids}::bigint[])`),
    db.query<Membership & { contact_id: number }>(sql`
      select m.contact_id, m.list_id, m.status from list_memberships m
      where m.company_id = ${companyId} and m.contact_id = any(${ids}::bigint[])
        and m.list_id = any(array(select id from lists where company_id = ${companyId} and deleted_at is null))
      order by m.list_id`),
  ]);
  const listsOf = new Map<number, Membership[]>();
  for (const { contact_id, list_id, status } of memberships) {
    const lists = listsOf.get(contact_id);
    if (lists === undefined) listsOf.set(contact_id, [{ list_id, status }]);
    else lists.push({ list_id, status });
  }
  return contacts.map((contact) => ({ ...contact, lists: listsOf.get(contact.id) ?? [] }));
}

export async function findCountry(db: Queryable, companyId: number): Promise<string | null> {
  const rows = await db.query<{ country: string }>(sql`select country from companies where company_id = ${companyId}`);
  return rows[0]?.country ?? null;
}

/** Gives the ids by the keys of the rows, of which each has one at least. */
export function insertContacts(
  tx: Tx,
  companyId: number,
  contacts: Contact[],
): Promise<Pick<ContactRow, 'id' | 'external_id' | 'email' | 'phone'>[]> {
  return tx.query(sql`
    insert into contacts (company_id, external_id, email, phone, first_name, last_name, source, tags, properties,
      email_consent, email_consent_at, email_consent_source, sms_consent, sms_consent_at, sms_consent_source, email_bounced,
      marketing_frequency, paused_until, search, created_at, updated_at)
    select ${companyId}, external_id, email, phone, first_name, last_name, source, tags, properties, email_consent,
      email_consent_at, email_consent_source, sms_consent, sms_consent_at, sms_consent_source, email_bounced,
      marketing_frequency, paused_until, search, created_at, updated_at
    from json_to_recordset(${recordset(contacts)}::json) as v (external_id text, email text, phone text, first_name text,
      last_name text, source text, tags text[], properties jsonb, ${consentColumns}, search text, created_at timestamptz,
      updated_at timestamptz)
    returning id, external_id, email, phone`);
}

/** Writes the whole rows, which the caller has locked. */
export function updateContacts(tx: Tx, companyId: number, contacts: ContactRow[]): Promise<unknown> {
  return tx.query(sql`
    update contacts c
    set external_id = v.external_id, email = v.email, phone = v.phone, first_name = v.first_name,
      last_name = v.last_name, source = v.source, tags = v.tags, properties = v.properties,
      email_consent = v.email_consent, email_consent_at = v.email_consent_at,
      email_consent_source = v.email_consent_source, sms_consent = v.sms_consent, sms_consent_at = v.sms_consent_at,
      sms_consent_source = v.sms_consent_source, email_bounced = v.email_bounced,
      marketing_frequency = v.marketing_frequency, paused_until = v.paused_until,
      search = v.search, created_at = v.created_at, updated_at = v.updated_at
    from json_to_recordset(${recordset(contacts)}::json) as v (id bigint, external_id text, email text, phone text,
      first_name text, last_name text, source text, tags text[], properties jsonb, ${consentColumns}, search text,
      created_at timestamptz, updated_at timestamptz)
    where c.company_id = ${companyId} and c.id = v.id`);
}

function recordset(contacts: Contact[]): string {
  return JSON.stringify(contacts.map((contact) => ({ ...contact, search: searchText(contact) })));
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

/** The memberships of both: who left on either side has left, who confirmed on either side is active. */
export function mergeMemberships(tx: Tx, companyId: number, from: number[], into: number, now: Date): Promise<unknown> {
  return tx.query(sql`
    insert into list_memberships as m (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
      confirmation_queued_at, created_at, updated_at)
    select distinct on (list_id) company_id, list_id, ${into}, status, consent_at, consent_source, consent_ip,
      confirmation_queued_at, created_at, ${now}
    from list_memberships
    where company_id = ${companyId} and contact_id = any(${from}::bigint[])
    order by list_id, array_position(array['unsubscribed', 'active', 'pending'], status)
    on conflict (company_id, list_id, contact_id) do update
    set status = excluded.status, consent_at = excluded.consent_at, consent_source = excluded.consent_source,
      consent_ip = excluded.consent_ip, updated_at = excluded.updated_at
    where array_position(array['unsubscribed', 'active', 'pending'], excluded.status)
      < array_position(array['unsubscribed', 'active', 'pending'], m.status)`);
}

export function deleteContacts(tx: Tx, companyId: number, ids: number[]): Promise<unknown> {
  return tx.query(sql`delete from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** A contact that was removed: its keys, and what it had said. */
export type GoneContact = Pick<
  ContactRow,
  | 'id'
  | 'email'
  | 'phone'
  | 'external_id'
  | 'email_consent'
  | 'email_consent_source'
  | 'sms_consent'
  | 'sms_consent_source'
  | 'email_bounced'
>;

/** Removes the contacts, notes it, and gives those that there were. Their memberships go with them. */
export function removeContacts(tx: Tx, companyId: number, ids: number[], now: Date): Promise<GoneContact[]> {
  return tx.query(sql`
    with gone as (
      delete from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])
      returning id, email, phone, external_id, email_consent, email_consent_source, sms_consent, sms_consent_source,
        email_bounced
    ),
    noted as (
      insert into contact_erasures (company_id, contact_id, erased_at)
      select ${companyId}, id, ${now} from gone
      on conflict (company_id, contact_id) do nothing
    )
    select id, email, phone, external_id, email_consent, email_consent_source, sms_consent, sms_consent_source, email_bounced
    from gone`);
}
