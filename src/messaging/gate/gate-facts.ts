import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import { zoneOfContact } from '../../recipients/time-zone.ts';
import { suppressionHash } from '../consent/tokens.ts';
import type { Channel, ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { GateFacts } from './gate.ts';
import * as gate from './gate-queries.ts';

/** A claimed message, and the address that it was composed for. */
export interface GateCandidate {
  message: ClaimedMessage;
  outgoing: { to: string };
}

interface Facts extends GateFacts {
  /** The contact has just chosen to receive marketing less often, so concurrent hand-overs to it may be missing from the count. */
  unsure: boolean;
}

/** Reads the facts that the gate decides on, under locks held until COMMIT. Returns a function of a candidate and its index. */
export async function readFacts(
  tx: Tx,
  company: SendingCompany,
  tokenKey: KeyObject,
  ready: GateCandidate[],
  now: Date,
): Promise<(one: GateCandidate, index: number) => Facts> {
  const { companyId, frequency_cap: cap } = company;
  const messages = ready.map((one) => one.message);
  const contactIds = distinct(messages.map((message) => message.contactId));
  const campaignIds = distinct(messages.map(({ origin }) => (origin.kind === 'campaign' ? origin.campaignId : null)));
  const flowIds = distinct(messages.map(({ origin }) => (origin.kind === 'flow' ? origin.flowId : null)));
  const versions = [...new Map(messages.flatMap(versionOf).map((one) => [keyOf(one), one])).values()];
  const addresses = ready.map(({ message, outgoing }) => ({
    channel: message.channel,
    hash: suppressionHash(tokenKey, message.channel, outgoing.to).toString('hex'),
  }));
  // Pipelined, and executed in this order: each statement sees what was committed before it began.
  const [contacts, campaigns, listed, flows, quiet, suppressions, recent] = await Promise.all([
    gate.lockContacts(tx, companyId, contactIds, cap !== null),
    campaignIds.length === 0 ? [] : gate.lockCampaigns(tx, companyId, campaignIds),
    campaignIds.length === 0 ? [] : gate.lockListed(tx, companyId, campaignIds, contactIds),
    flowIds.length === 0 ? [] : gate.lockFlows(tx, companyId, flowIds),
    versions.length === 0 ? [] : gate.findQuietHours(tx, companyId, versions),
    gate.findSuppressions(tx, companyId, addresses),
    cap === null ? [] : gate.countRecent(tx, companyId, contactIds, hoursBefore(now, cap.hours)),
  ]);
  const lessOftenIds = contacts.filter(({ marketing_frequency }) => marketing_frequency !== null).map(({ id }) => id);
  const lessOften =
    lessOftenIds.length === 0 ? [] : await gate.countRecent(tx, companyId, lessOftenIds, lessOftenSince(company, now));
  const recentLessOften = new Map(lessOften.map((row) => [row.contact_id, row.n]));
  const contactById = new Map(contacts.map((contact) => [contact.id, contact]));
  const campaignById = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  const flowStatus = new Map(flows.map((flow) => [flow.id, flow.status]));
  const quietHours = new Map(quiet.map((row) => [`${row.flow_id}:${row.version}`, row.quiet_hours]));
  const memberships = new Set(listed.map((row) => `${row.list_id}:${row.contact_id}`));
  const causeByHash = new Map(suppressions.map((row) => [row.hash, row.cause]));
  const recently = new Map(recent.map((row) => [row.contact_id, row.n]));

  return ({ message }, index) => {
    const contact = message.contactId === null ? null : (contactById.get(message.contactId) ?? null);
    const address = contact === null ? message.recipient : message.channel === 'email' ? contact.email : contact.phone;
    const { origin } = message;
    const campaign = origin.kind === 'campaign' ? campaignById.get(origin.campaignId) : undefined;
    const status = origin.kind === 'flow' ? flowStatus.get(origin.flowId) : campaign?.status;
    return {
      contact: contact === null ? null : contactFacts(contact, message.channel, recentLessOften.get(contact.id) ?? 0),
      unsure: contact !== null && contact.marketing_frequency !== null && !contact.alone,
      address,
      suppressed: causeByHash.get(addresses[index]!.hash) ?? null,
      source: origin.kind === 'system' ? 'running' : sourceOf(status),
      listed: campaign == null || campaign.list_id === null || memberships.has(`${campaign.list_id}:${contact?.id}`),
      maxLatenessHours: campaign?.max_lateness_hours,
      quietHours: (origin.kind === 'flow' && quietHours.get(keyOf(origin))) || null,
      recent: contact === null ? 0 : (recently.get(contact.id) ?? 0),
    };
  };
}

export function contactFacts(
  contact: gate.GateContact,
  channel: Channel,
  recent: number,
): NonNullable<GateFacts['contact']> {
  const { email_consent, sms_consent, email_bounced, paused_until: pausedUntil } = contact;
  const timezone = zoneOfContact(contact);
  const shared = { timezone, pausedUntil, recentWished: contact.marketing_frequency === null ? null : recent };
  return channel === 'email'
    ? { consent: email_consent, bounced: email_bounced, ...shared }
    : { consent: sms_consent, bounced: false, ...shared };
}

export function sourceOf(status: string | undefined): GateFacts['source'] {
  if (status === 'active' || status === 'sending') return 'running';
  return status === 'paused' ? 'paused' : 'ended';
}

/** The flow version whose quiet hours apply to the message, if any. */
function versionOf({ origin, transactional }: ClaimedMessage): { flowId: number; version: number }[] {
  return origin.kind === 'flow' && !transactional ? [origin] : [];
}

function keyOf({ flowId, version }: { flowId: number; version: number }): string {
  return `${flowId}:${version}`;
}

function distinct(ids: (number | null)[]): number[] {
  return [...new Set(ids)].filter((id): id is number => id !== null);
}

function lessOftenSince({ less_often_days }: SendingCompany, now: Date): Date {
  return hoursBefore(now, less_often_days * 24);
}

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * 3_600_000);
}
