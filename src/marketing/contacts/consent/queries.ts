import type { Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { Channel, ConsentFields, ConsentSource, ConsentState, Evidence } from '../../../recipients/consent.ts';

/** A new state of one channel's consent. */
export interface ConsentUpdate {
  channel: Channel;
  state: ConsentState;
  source: ConsentSource;
  /** The cause that the timeline shows if the contact's status changes. */
  cause: string;
  evidence?: Evidence | undefined;
  now: Date;
}

/** A contact, and its address for the channel. */
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
 * Updates the consents of those contacts that exist, with the history and, if the status changes, the timeline. A subscription to
 * e-mail also ends a bounce, unless it comes from the shop. Returns all existing contacts, whether changed or not.
 */
export function updateConsents(tx: Tx, companyId: number, ids: number[], move: ConsentUpdate): Promise<Addressed[]> {
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
      -- A contact that only had bounced keeps its consent as it was given.
      update contacts c set ${column.consent} = ${state},
        ${column.at} = case when f.was = ${state} then c.${column.at} else ${now}::timestamptz end,
        ${column.source} = case when f.was = ${state} then c.${column.source} else ${source}::text end,
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

/** Records that the contacts' e-mail addresses bounced. */
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

export type CustomersContact = ConsentFields & { id: number; email: string | null; phone: string | null };

/** Locks and returns the contact of a customer; if there is none, the one with the e-mail, which will become the customer's. */
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

/** Locks the contact until COMMIT if it has this e-mail address; false if not. */
export async function lockByEmail(tx: Tx, companyId: number, id: number, email: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from contacts where company_id = ${companyId} and id = ${id} and email = ${email} for no key update`);
  return rows.length > 0;
}
