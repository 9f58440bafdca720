import type { KeyObject } from 'node:crypto';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
import type { ConsentState } from '../../recipients/consent.ts';
import type { QuietHours } from '../../recipients/quiet-hours.ts';
import { joinAddresses, type ZoneSources, zoneOfContact, zoneSources } from '../../recipients/time-zone.ts';
import { suppressionHash } from '../consent/tokens.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { SuppressionCause } from '../suppressions/contract.ts';
import { findSuppressions } from '../suppressions/queries.ts';

/** What the gate knows about one message. Before it is composed, only what depends on time and on the domain is known. */
export interface GateFacts {
  /** null: the contact was erased, or the message goes to an address without a contact. */
  contact: {
    /** For the message's channel. */
    consent: ConsentState;
    /** Only for an e-mail. */
    bounced: boolean;
    timezone: string | null;
    pausedUntil: Date | null;
    /** Recent marketing messages if the contact wants fewer; null if it wants all. */
    recentWished: number | null;
  } | null;
  /** The contact has just chosen to receive marketing less often, so concurrent hand-overs to it may be missing from the count. */
  unsure: boolean;
  /** The contact's current address; null if it no longer has one. */
  address: string | null;
  suppressed: SuppressionCause | null;
  /** State of the message's flow or campaign. */
  source: 'running' | 'paused' | 'ended';
  /** Whether the contact is still on the campaign's list; true if there is no list. */
  listed: boolean;
  /** The campaign's own limit; without one its messages are sent however late. Flows use the company's. */
  maxLatenessHours: number | null;
  /** Quiet hours of the message's flow. */
  quietHours: QuietHours | null;
  /** Recent marketing messages to the contact. */
  recent: number;
}

/**
 * Returns the facts that the checks before composing need, without locks, in the order of the messages. `toDomains`: whether domains of
 * recipients matter at present.
 */
export async function findFacts(
  db: Queryable,
  company: SendingCompany,
  messages: readonly ClaimedMessage[],
  toDomains: boolean,
): Promise<GateFacts[]> {
  const { companyId } = company;
  const timed = messages.filter((message) => isTimed(message, company));
  const mails = toDomains ? messages.filter(({ channel }) => channel === 'email') : [];
  const contactIds = distinct([...timed, ...mails].flatMap(({ contactId }) => contactId ?? []));
  const [contacts, flows] = await Promise.all([
    contactIds.length === 0 ? [] : findContacts(db, companyId, contactIds),
    readFlows(db, companyId, timed),
  ]);
  const contactById = new Map(contacts.map((contact) => [contact.id, contact]));
  const flowByVersion = new Map(flows.map((flow) => [keyOf(flow.flow_id, flow.version), flow]));
  return messages.map((message) => {
    const contact = contactById.get(message.contactId ?? 0) ?? null;
    const { origin } = message;
    const flow = origin.kind === 'flow' ? flowByVersion.get(keyOf(origin.flowId, origin.version)) : undefined;
    return {
      contact: contact === null ? null : contactFacts(contact, message, 0),
      unsure: false,
      address: addressOf(message, contact),
      suppressed: null,
      // Campaign messages are claimed only while their campaign is being sent.
      source: origin.kind === 'flow' ? sourceOf(flow?.status) : 'running',
      listed: true,
      maxLatenessHours: null,
      quietHours: flow?.quiet_hours ?? null,
      recent: 0,
    };
  });
}

/** Whether the message may have to wait for a time. */
function isTimed({ transactional, origin, contactId }: ClaimedMessage, { quiet_hours }: SendingCompany): boolean {
  if (transactional || contactId === null) return false;
  return origin.kind === 'flow' || (origin.kind === 'campaign' && quiet_hours !== null);
}

/** A claimed message, and the address that it was composed for. */
interface Addressed {
  message: ClaimedMessage;
  outgoing: { to: string };
}

/**
 * Returns the facts that the checks at the hand-over need, in the order of the messages. They are read under locks held until COMMIT:
 * acknowledged changes are seen, and later ones find the message handed over.
 */
export async function lockFacts(
  tx: Tx,
  company: SendingCompany,
  tokenKey: KeyObject,
  ready: readonly Addressed[],
  now: Date,
): Promise<GateFacts[]> {
  const { companyId, frequency_cap: cap } = company;
  const messages = ready.map((one) => one.message);
  const contactIds = distinct(messages.flatMap(({ contactId }) => contactId ?? []));
  const campaignIds = distinct(messages.flatMap(({ origin }) => (origin.kind === 'campaign' ? origin.campaignId : [])));
  const addresses = ready.map(({ message: { channel }, outgoing }) => ({
    channel,
    hash: suppressionHash(tokenKey, channel, outgoing.to).toString('hex'),
  }));
  // Pipelined, and executed in this order: each statement sees what was committed before it began.
  const [contacts, campaigns, listed, flows, suppressions, recent] = await Promise.all([
    lockContacts(tx, companyId, contactIds, cap !== null),
    campaignIds.length === 0 ? [] : lockCampaigns(tx, companyId, campaignIds),
    campaignIds.length === 0 ? [] : lockListed(tx, companyId, campaignIds, contactIds),
    readFlows(tx, companyId, messages, 'locked'),
    findSuppressions(tx, companyId, addresses),
    cap === null ? [] : countRecent(tx, companyId, contactIds, hoursBefore(now, cap.hours)),
  ]);
  const lessOftenIds = contacts.filter(({ marketing_frequency }) => marketing_frequency !== null).map(({ id }) => id);
  const lessOftenSince = hoursBefore(now, company.less_often_days * 24);
  const lessOften = lessOftenIds.length === 0 ? [] : await countRecent(tx, companyId, lessOftenIds, lessOftenSince);
  const recentLessOften = new Map(lessOften.map((row) => [row.contact_id, row.n]));
  const contactById = new Map(contacts.map((contact) => [contact.id, contact]));
  const campaignById = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  const flowByVersion = new Map(flows.map((flow) => [keyOf(flow.flow_id, flow.version), flow]));
  const listedOf = Map.groupBy(listed, (row) => row.contact_id);
  const causeByHash = new Map(suppressions.map((row) => [row.hash, row.cause]));
  const recently = new Map(recent.map((row) => [row.contact_id, row.n]));

  return messages.map((message, i) => {
    const contact = contactById.get(message.contactId ?? 0) ?? null;
    const { origin } = message;
    const campaign = origin.kind === 'campaign' ? campaignById.get(origin.campaignId) : undefined;
    const flow = origin.kind === 'flow' ? flowByVersion.get(keyOf(origin.flowId, origin.version)) : undefined;
    return {
      contact: contact === null ? null : contactFacts(contact, message, recentLessOften.get(contact.id) ?? 0),
      unsure: contact !== null && contact.marketing_frequency !== null && !contact.alone,
      address: addressOf(message, contact),
      suppressed: causeByHash.get(addresses[i]!.hash) ?? null,
      source: origin.kind === 'system' ? 'running' : sourceOf((flow ?? campaign)?.status),
      listed: campaign === undefined || isListed(campaign, listedOf.get(contact?.id ?? 0) ?? []),
      maxLatenessHours: campaign?.max_lateness_hours ?? null,
      quietHours: flow?.quiet_hours ?? null,
      recent: contact === null ? 0 : (recently.get(contact.id) ?? 0),
    };
  });
}

function contactFacts(
  contact: GateContact,
  { channel }: ClaimedMessage,
  recentWished: number,
): NonNullable<GateFacts['contact']> {
  const isEmail = channel === 'email';
  return {
    consent: isEmail ? contact.email_consent : contact.sms_consent,
    bounced: isEmail && contact.email_bounced,
    timezone: zoneOfContact(contact),
    pausedUntil: contact.paused_until,
    recentWished: contact.marketing_frequency === null ? null : recentWished,
  };
}

function addressOf({ channel, contactId, recipient }: ClaimedMessage, contact: GateContact | null): string | null {
  if (contactId === null) return recipient;
  return (channel === 'email' ? contact?.email : contact?.phone) ?? null;
}

function sourceOf(status: string | undefined): GateFacts['source'] {
  if (status === 'active' || status === 'sending') return 'running';
  return status === 'paused' ? 'paused' : 'ended';
}

interface GateContact extends ZoneSources {
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

function findContacts(db: Queryable, companyId: number, ids: number[]): Promise<GateContact[]> {
  return db.query<GateContact>(sql`
    select ${gateColumns}, false as alone from contacts c ${joinAddresses}
    where c.company_id = ${companyId} and c.id = any(${ids}::bigint[])`);
}

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

interface GateCampaign {
  id: number;
  status: string;
  started_at: Date;
  /** A recipient must be on one of these lists; null: on none. */
  member_of: number[] | null;
  /** The lists of an audience that has other parts as well. */
  lists: number[] | null;
  max_lateness_hours: number | null;
}

/** A pause or cancellation waits for hand-overs that have begun; all later ones see it. */
function lockCampaigns(tx: Tx, companyId: number, ids: number[]): Promise<GateCampaign[]> {
  return tx.query<GateCampaign>(sql`
    select id, status, started_at, case when list_id is null then nullif(audience -> 'member_of', 'null') else to_jsonb(array[list_id]) end as member_of,
      (select jsonb_agg(p -> 'list_id') from jsonb_array_elements(audience -> 'audiences') p where p ? 'list_id') as lists,
      max_lateness_hours from campaigns
    where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for share`);
}

interface GateMembership {
  list_id: number;
  contact_id: number;
  status: 'active' | 'unsubscribed';
  updated_at: Date;
}

/** A recipient who may belong to another part of the audience must not have left a list of it since the start. */
function isListed({ member_of, lists, started_at }: GateCampaign, memberships: readonly GateMembership[]): boolean {
  const isOn = (ids: number[]): boolean =>
    memberships.some(({ list_id, status }) => status === 'active' && ids.includes(list_id));
  if (member_of !== null) return isOn(member_of);
  if (lists === null || isOn(lists)) return true;
  return !memberships.some(
    ({ list_id, status, updated_at }) =>
      status === 'unsubscribed' && lists.includes(list_id) && updated_at >= started_at,
  );
}

/** Returns how the contacts belong to the lists of the campaigns, locked like the contacts. */
function lockListed(tx: Tx, companyId: number, campaignIds: number[], contactIds: number[]): Promise<GateMembership[]> {
  return tx.query<GateMembership>(sql`
    select m.list_id, m.contact_id, m.status, m.updated_at from list_memberships m
    where m.company_id = ${companyId} and m.contact_id = any(${contactIds}::bigint[]) and m.status in ('active', 'unsubscribed')
      and m.list_id in (
        select l.id from campaigns k cross join lateral (
          select k.list_id as id
          union all select jsonb_array_elements_text(nullif(k.audience -> 'member_of', 'null'))::bigint
          union all select (p ->> 'list_id')::bigint from jsonb_array_elements(k.audience -> 'audiences') p
        ) l where k.company_id = ${companyId} and k.id = any(${campaignIds}::bigint[]))
    order by m.list_id, m.contact_id for share of m`);
}

/** Returns the flows of marketing messages by version, with the version's quiet hours; versions never change. */
async function readFlows(
  db: Queryable,
  companyId: number,
  messages: readonly ClaimedMessage[],
  lock?: 'locked',
): Promise<{ flow_id: number; version: number; status: string; quiet_hours: QuietHours | null }[]> {
  const versions = [
    ...new Map(
      messages.flatMap(({ origin, transactional }) =>
        origin.kind === 'flow' && !transactional ? [[keyOf(origin.flowId, origin.version), origin] as const] : [],
      ),
    ).values(),
  ];
  if (versions.length === 0) return [];
  return db.query(sql`
    select f.id as flow_id, wanted.version, case when f.deleted_at is null then f.status else 'archived' end as status,
      nullif(v.definition -> 'quiet_hours', 'null') as quiet_hours
    from unnest(${versions.map((v) => v.flowId)}::bigint[], ${versions.map((v) => v.version)}::int[])
      as wanted (flow_id, version)
    join flows f on f.company_id = ${companyId} and f.id = wanted.flow_id
    left join flow_versions v
      on v.company_id = ${companyId} and v.flow_id = wanted.flow_id and v.version = wanted.version
    order by f.id ${lock === undefined ? emptySql : sql`for share of f`}`);
}

/** Counts the marketing messages handed over to each contact since the given time. */
function countRecent(
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

function keyOf(flowId: number, version: number): string {
  return `${flowId}:${version}`;
}

function distinct(ids: number[]): number[] {
  return [...new Set(ids)];
}

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * 3_600_000);
}
