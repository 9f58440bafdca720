import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { ConsentSource, ConsentState } from '../../recipients/consent.ts';
import type { QuietHours } from '../../recipients/quiet-hours.ts';
import { joinAddresses, type ZoneSources, zoneSources } from '../../recipients/time-zone.ts';
import type { SuppressionCause } from '../ledger/delivery-queries.ts';
import type { Channel } from '../ledger/message.ts';

export interface GateContact extends ZoneSources {
  id: number;
  email: string | null;
  phone: string | null;
  email_consent: ConsentState;
  sms_consent: ConsentState;
  email_bounced: boolean;
  marketing_frequency: 'less_often' | null;
  paused_until: Date | null;
  /** Whether other hand-overs to the contact wait for this one. */
  alone: boolean;
}

const gateColumns = sql`c.id, c.email, c.phone, c.email_consent, c.sms_consent, c.email_bounced, c.marketing_frequency,
  c.paused_until, ${zoneSources}`;

/**
 * Returns the contacts, locked until the transaction ends: a concurrent unsubscribe either waits or is waited for and seen. With `alone`,
 * or if one of them wants marketing less often, other hand-overs to the same contacts wait as well, so that each is counted in time. All
 * rows are locked in the order of their ids.
 */
export function lockContacts(tx: Tx, companyId: number, ids: number[], alone: boolean): Promise<GateContact[]> {
  const wanted = sql`c.company_id = ${companyId} and c.id = any(${ids}::bigint[])`;
  if (alone) {
    return tx.query<GateContact>(sql`
      select ${gateColumns}, true as alone from contacts c ${joinAddresses} where ${wanted} order by c.id
      for no key update of c`);
  }
  return tx.query<GateContact>(sql`
    with counted as materialized (
      select exists (select from contacts c where ${wanted} and c.marketing_frequency is not null) as some
    ),
    together as materialized (
      select ${gateColumns}, false as alone from contacts c ${joinAddresses}
      where ${wanted} and not (select counted.some from counted) order by c.id for share of c
    ),
    one_by_one as materialized (
      select ${gateColumns}, true as alone from contacts c ${joinAddresses}
      where ${wanted} and (select counted.some from counted) order by c.id for no key update of c
    )
    select * from together union all select * from one_by_one`);
}

export interface GateCampaign {
  id: number;
  status: string;
  list_id: number | null;
  max_lateness_hours: number | null;
}

/** A pause or cancellation waits for hand-overs that have begun; all later ones see it. */
export function lockCampaigns(tx: Tx, companyId: number, ids: number[]): Promise<GateCampaign[]> {
  return tx.query<GateCampaign>(sql`
    select id, status, list_id, max_lateness_hours from campaigns
    where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for share`);
}

/** Returns which of the contacts are on the lists of the campaigns, locked like the contacts. */
export function lockListed(
  tx: Tx,
  companyId: number,
  campaignIds: number[],
  contactIds: number[],
): Promise<{ list_id: number; contact_id: number }[]> {
  return tx.query(sql`
    select m.list_id, m.contact_id from list_memberships m
    where m.company_id = ${companyId} and m.contact_id = any(${contactIds}::bigint[]) and m.status = 'active'
      and m.list_id in (
        select k.list_id from campaigns k where k.company_id = ${companyId} and k.id = any(${campaignIds}::bigint[]))
    order by m.list_id, m.contact_id for share of m`);
}

export function lockFlows(tx: Tx, companyId: number, ids: number[]): Promise<{ id: number; status: string }[]> {
  return tx.query(sql`
    select id, case when deleted_at is null then status else 'archived' end as status from flows
    where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for share`);
}

/** Returns the quiet hours of the versions that have any. Versions never change, so nothing is locked. */
export function findQuietHours(
  tx: Tx,
  companyId: number,
  versions: { flowId: number; version: number }[],
): Promise<{ flow_id: number; version: number; quiet_hours: QuietHours }[]> {
  return tx.query(sql`
    select v.flow_id, v.version, v.definition -> 'quiet_hours' as quiet_hours
    from unnest(${versions.map((v) => v.flowId)}::bigint[], ${versions.map((v) => v.version)}::int[])
      as wanted (flow_id, version)
    join flow_versions v on v.company_id = ${companyId} and v.flow_id = wanted.flow_id and v.version = wanted.version
    where v.definition -> 'quiet_hours' <> 'null'`);
}

/** Returns the addresses that are suppressed; `hash` in hexadecimal. */
export function findSuppressions(
  tx: Tx,
  companyId: number,
  addresses: { channel: string; hash: string }[],
): Promise<{ channel: Channel; hash: string; cause: SuppressionCause; source: ConsentSource | null }[]> {
  return tx.query(sql`
    select s.channel, a.hash, s.cause, s.source
    from unnest(${addresses.map((a) => a.channel)}::text[], ${addresses.map((a) => a.hash)}::text[]) as a (channel, hash)
    join suppressions s on s.company_id = ${companyId} and s.channel = a.channel and s.hash = decode(a.hash, 'hex')`);
}

/** Counts the marketing messages handed over to each contact since the given time. */
export function countRecent(
  tx: Tx,
  companyId: number,
  contactIds: number[],
  since: Date,
): Promise<{ contact_id: number; n: number }[]> {
  return tx.query(sql`
    select contact_id, count(*) as n from ledger
    where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[]) and not transactional
      and handed_over_at > ${since} and status in ('handing_over', 'sent', 'unknown')
    group by contact_id`);
}
