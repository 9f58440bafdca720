import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { announceWritten } from './joined.ts';
import type { Consent } from './membership.ts';
import type { Pair } from './membership-queries.ts';

/**
 * Adds pending memberships of contacts that get one message for all of these lists, not one for each, and logs them. Existing
 * memberships are unchanged until the contact confirms.
 */
export async function addPendingMemberships(tx: Tx, companyId: number, pairs: Pair[], consent: Consent): Promise<void> {
  await tx.query(sql`
    with written as (
      insert into list_memberships (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
        confirmation_queued_at, created_at, updated_at)
      select ${companyId}, l.id, v.contact_id, 'pending', ${consent.at}, ${consent.source}, ${consent.ip}, ${consent.at},
        ${consent.at}, ${consent.at}
      from unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      join lists l on l.company_id = ${companyId} and l.id = v.list_id and l.deleted_at is null
      order by l.id, v.contact_id
      on conflict (company_id, list_id, contact_id) do nothing
      returning list_id, contact_id
    )
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', 'pending'),
      ${consent.at}::timestamptz
    from written`);
}

/** Activates the memberships of contacts that confirmed, and logs them; skips lists that they left after `askedAt`. */
export async function confirmMemberships(
  tx: Tx,
  companyId: number,
  pairs: Pair[],
  consent: Consent,
  askedAt: Date,
): Promise<void> {
  await tx.query(sql`
    with written as (
      insert into list_memberships as m (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
        created_at, updated_at)
      select ${companyId}, l.id, v.contact_id, 'active', ${consent.at}, ${consent.source}, ${consent.ip}, ${consent.at},
        ${consent.at}
      from unnest(${pairs.map((p) => p.listId)}::bigint[], ${pairs.map((p) => p.contactId)}::bigint[])
        as v (list_id, contact_id)
      join lists l on l.company_id = ${companyId} and l.id = v.list_id and l.deleted_at is null
      order by l.id, v.contact_id
      on conflict (company_id, list_id, contact_id) do update
      set status = 'active', consent_at = excluded.consent_at, consent_source = excluded.consent_source,
        consent_ip = excluded.consent_ip, updated_at = excluded.updated_at
      where m.status = 'pending' or (m.status = 'unsubscribed' and m.updated_at <= ${askedAt})
      returning m.list_id, m.contact_id, m.status, m.consent_source, m.updated_at
    ),
    announced as (${announceWritten(companyId)})
    insert into contact_activity (company_id, contact_id, type, data, created_at)
    select ${companyId}, contact_id, 'list_changed', jsonb_build_object('list_id', list_id, 'status', 'active'),
      ${consent.at}::timestamptz
    from written`);
}

export interface Unconfirmed {
  company_id: number;
  list_id: number;
  contact_id: number;
  /** When the contact was last added to the list. */
  requested_at: Date;
}

/**
 * Claims up to `limit` pending memberships, of all companies, whose contacts have not been asked to confirm. They count as asked
 * when `tx` commits, so `tx` must queue the mails. A contact that left and was added again is returned again.
 */
export function claimUnconfirmed(tx: Tx, limit: number, now: Date): Promise<Unconfirmed[]> {
  return tx.query<Unconfirmed>(sql`
    with chosen as materialized (
      select m.company_id, m.list_id, m.contact_id
      from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
      where m.status = 'pending' and m.confirmation_queued_at is null and l.deleted_at is null
      order by m.company_id, m.list_id, m.contact_id limit ${limit} for update of m skip locked
    )
    update list_memberships m set confirmation_queued_at = ${now} from chosen c
    where m.company_id = c.company_id and m.list_id = c.list_id and m.contact_id = c.contact_id
    returning m.company_id, m.list_id, m.contact_id, m.updated_at as requested_at`);
}
