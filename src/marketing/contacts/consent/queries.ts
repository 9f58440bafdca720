import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { Preferences } from './preferences.ts';
import type { Channel, ConsentFields, ConsentSource, ConsentState, Evidence } from './states.ts';

/** What becomes of a consent. */
export interface ConsentMove {
  channel: Channel;
  state: ConsentState;
  source: ConsentSource;
  /** What the timeline tells where the contact's status changes by it. */
  cause: string;
  evidence?: Evidence | undefined;
  now: Date;
}

/** A contact whose consent was moved, or was so already. */
export interface Addressed {
  id: number;
  address: string | null;
}

function columnsOf(channel: Channel): Record<'consent' | 'at' | 'source' | 'address', Statement> {
  return {
    consent: rawSql(`${channel}_consent`),
    at: rawSql(`${channel}_consent_at`),
    source: rawSql(`${channel}_consent_source`),
    address: rawSql(channel === 'email' ? 'email' : 'phone'),
  };
}

/**
 * Moves the consents of the contacts that there are, with history and, where the status changes, an entry of the timeline. A yes
 * to e-mail ends a bounce, unless it is the shop's: that it vouches for a customer revives no address. Gives all of them, those that had the state before as well.
 */
export function moveConsents(tx: Tx, companyId: number, ids: number[], move: ConsentMove): Promise<Addressed[]> {
  const { channel, state, source, cause, evidence, now } = move;
  const column = columnsOf(channel);
  const revives = channel === 'email' && state === 'subscribed' && source !== 'shop';
  return tx.query<Addressed>(sql`
    with found as (
      select id, status, ${column.address} as address, ${column.consent} as was, ${column.at} as was_at,
        ${column.source} as was_source, created_at
      from contacts where company_id = ${companyId} and id = any(${ids}::bigint[])
      order by id for no key update
    ),
    moved as (
      update contacts c set ${column.consent} = ${state}, ${column.at} = ${now}, ${column.source} = ${source},
        updated_at = ${now}${revives ? sql`, email_bounced = false` : emptySql}
      from found f
      where c.company_id = ${companyId} and c.id = f.id
        and (f.was <> ${state}${revives ? sql` or c.email_bounced` : emptySql})
      returning c.id as contact_id, f.*, c.status as becomes
    ),
    history as (
      insert into contact_consents (company_id, contact_id, channel, state, source, address, text, ip, user_agent, was,
        was_since, was_source, created_at)
      select ${companyId}, contact_id, ${channel}, ${state}, ${source}, address, ${evidence?.text ?? null},
        ${evidence?.ip ?? null}, ${evidence?.userAgent ?? null}, was, coalesce(was_at, created_at), was_source,
        ${now}::timestamptz
      from moved where was <> ${state}
    ),
    logged as (
      insert into contact_activity (company_id, contact_id, type, data, created_at)
      select ${companyId}, contact_id, 'status_changed',
        jsonb_build_object('from', status, 'to', becomes, 'cause', ${cause}::text), ${now}::timestamptz
      from moved where status <> becomes
    )
    select id, address from found`);
}

/** The contacts' e-mail addresses are dead. */
export async function markBounced(tx: Tx, companyId: number, ids: number[], now: Date): Promise<void> {
  await tx.query(sql`
    with found as (
      select id, status from contacts
      where company_id = ${companyId} and id = any(${ids}::bigint[]) and not email_bounced and email is not null
      order by id for no key update
    ),
    moved as (
      update contacts c set email_bounced = true, updated_at = ${now}
      from found f where c.company_id = ${companyId} and c.id = f.id
      returning c.id as contact_id, f.status as was, c.status as becomes
    )
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, 'status_changed',
      jsonb_build_object('from', was, 'to', becomes, 'cause', 'bounce'), ${now}::timestamptz
    from moved where was <> becomes`);
}

/** The contact itself chooses how much marketing it wants. What is absent stays; logged where it changes something. */
export async function movePreferences(
  tx: Tx,
  companyId: number,
  id: number,
  chosen: Partial<Preferences>,
  now: Date,
): Promise<void> {
  const { marketing_frequency: frequency, paused_until: until } = chosen;
  await tx.query(sql`
    with found as (
      select id, ${frequency === undefined ? rawSql('marketing_frequency') : sql`${frequency}::text`} as frequency,
        ${until === undefined ? rawSql('paused_until') : sql`${until}::timestamptz`} as until
      from contacts where company_id = ${companyId} and id = ${id} for no key update
    ),
    moved as (
      update contacts c set marketing_frequency = f.frequency, paused_until = f.until, updated_at = ${now}
      from found f
      where c.company_id = ${companyId} and c.id = f.id
        and (c.marketing_frequency is distinct from f.frequency or c.paused_until is distinct from f.until)
      returning c.id, f.frequency, f.until
    )
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, id, 'preferences_changed', jsonb_build_object('frequency', coalesce(frequency, 'all'),
      'paused_until', to_char(until at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'source', 'preference_page'),
      ${now}::timestamptz
    from moved`);
}

/** One entry of the history. */
export interface ConsentRow {
  contactId: number;
  channel: Channel;
  state: ConsentState;
  source: ConsentSource;
  address: string | null;
  evidence: Evidence | undefined;
  was: { state: ConsentState; since: Date; source: ConsentSource } | null;
  at: Date;
}

export function insertConsents(tx: Tx, companyId: number, rows: ConsentRow[]): Promise<unknown> {
  return tx.query(sql`
    insert into contact_consents (company_id, contact_id, channel, state, source, address, text, ip, user_agent, was,
      was_since, was_source, created_at)
    select ${companyId}, contact_id, channel, state, source, address, text, ip, user_agent, was, was_since, was_source,
      created_at
    from json_to_recordset(${JSON.stringify(rows.map(storedRow))}::json) as v (contact_id bigint, channel text, state text,
      source text, address text, text text, ip text, user_agent text, was text, was_since timestamptz, was_source text,
      created_at timestamptz)`);
}

function storedRow({ contactId, channel, state, source, address, evidence, was, at }: ConsentRow): object {
  return {
    contact_id: contactId,
    channel,
    state,
    source,
    address,
    text: evidence?.text,
    ip: evidence?.ip,
    user_agent: evidence?.userAgent,
    was: was?.state,
    was_since: was?.since,
    was_source: was?.source,
    created_at: at,
  };
}

export interface StoredConsent {
  channel: Channel;
  state: ConsentState;
  source: ConsentSource;
  address: string | null;
  text: string | null;
  ip: string | null;
  user_agent: string | null;
  was: ConsentState | null;
  was_since: Date | null;
  was_source: ConsentSource | null;
  created_at: Date;
}

/** The oldest first. */
export function findConsentHistory(db: Queryable, companyId: number, contactId: number): Promise<StoredConsent[]> {
  return db.query<StoredConsent>(sql`
    select channel, state, source, address, text, ip, user_agent, was, was_since, was_source, created_at
    from contact_consents where company_id = ${companyId} and contact_id = ${contactId} order by id`);
}

export type CustomersContact = ConsentFields & { id: number; email: string | null; phone: string | null };

/** The contact of a customer of the shop, locked; where there is none yet, the one that will become theirs by its e-mail. */
export async function lockCustomersContact(
  tx: Tx,
  companyId: number,
  customerId: number,
  email: string | null,
): Promise<CustomersContact | null> {
  const rows = await tx.query<CustomersContact>(sql`
    select id, email, phone, email_consent, email_consent_at, email_consent_source, sms_consent, sms_consent_at,
      sms_consent_source, email_bounced
    from contacts
    where company_id = ${companyId} and (external_id = ${String(customerId)} or email = ${email})
    order by external_id = ${String(customerId)} desc nulls last limit 1 for no key update`);
  return rows[0] ?? null;
}

/** Whether the contact has the address, and keeps it until COMMIT. */
export async function lockByEmail(tx: Tx, companyId: number, id: number, email: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from contacts where company_id = ${companyId} and id = ${id} and email = ${email} for no key update`);
  return rows.length > 0;
}
