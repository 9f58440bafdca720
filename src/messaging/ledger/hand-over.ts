import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../db/pool.ts';
import { suppressionHash } from '../consent/tokens.ts';
import { type DomainRests, NO_RESTS } from '../gate/domain-rests.ts';
import { decideHandOver, type GateFacts, type Wait } from '../gate/gate.ts';
import * as gate from '../gate/gate-queries.ts';
import type { OutgoingMessage } from '../send/transports/port.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Channel, ClaimedMessage } from './message.ts';
import type { HandOver, Settled } from './settle-queries.ts';

/** A claimed message with what is to be delivered. */
export interface ReadyMessage {
  message: ClaimedMessage;
  outgoing: OutgoingMessage;
  transport: string;
}

/** What the gate says of claimed messages: they go, or what becomes of them instead. */
export interface Decided {
  going: HandOver[];
  settled: Settled[];
}

/**
 * Asks the gate about each claimed message. Its facts are read under locks that last as long as the transaction: what was
 * acknowledged before is seen, what comes later finds the message gone.
 */
export async function decideHandOvers(
  tx: Tx,
  company: SendingCompany,
  tokenKey: KeyObject,
  ready: ReadyMessage[],
  now: Date,
  rests: Pick<DomainRests, 'until'> = NO_RESTS,
): Promise<Decided> {
  const factsOf = await readFacts(tx, company, tokenKey, ready, now);
  /** Of this set, marketing messages to each contact: several count each other. */
  const counted = new Map<number, number>();
  const decided: Decided = { going: [], settled: [] };
  ready.forEach((one, i) => {
    const { message, outgoing, transport } = one;
    const { id, epoch, contactId, transactional } = message;
    const facts = factsOf(one, i);
    const already = contactId === null || transactional ? 0 : (counted.get(contactId) ?? 0);
    const restsUntil = rests.until(message, outgoing.to, now);
    const verdict = decideHandOver(message, withCounted(facts, already), company, now);
    if (verdict.kind === 'skip') decided.settled.push({ id, epoch, status: 'skipped', reason: verdict.reason });
    else if (verdict.kind === 'wait') decided.settled.push(putOff(message, verdict, now));
    // What was made for another address is made again; so is what came at the moment in which its contact chose less.
    else if (facts.address !== outgoing.to || (!transactional && facts.unsure))
      decided.settled.push({ id, epoch, status: 'queued' });
    else if (restsUntil !== null)
      decided.settled.push({ id, epoch, status: 'queued', reason: 'retry_domain', dueAt: restsUntil });
    else {
      decided.going.push({ id, epoch, recipient: outgoing.to, transport });
      if (contactId !== null && !transactional) counted.set(contactId, already + 1);
    }
  });
  return decided;
}

/** With those of the same hand-over that go to the contact already. */
function withCounted<F extends GateFacts>(facts: F, already: number): F {
  if (already === 0) return facts;
  const wished = facts.contact?.recentWished ?? null;
  const contact = facts.contact && { ...facts.contact, recentWished: wished === null ? null : wished + already };
  return { ...facts, recent: facts.recent + already, contact };
}

/** A wait as it is written down: the time of a planned one is no lateness. */
export function putOff({ id, epoch, wantedAt }: ClaimedMessage, { until, planned }: Wait, now: Date): Settled {
  const moved = planned === true ? new Date(wantedAt.getTime() + until.getTime() - now.getTime()) : undefined;
  return { id, epoch, status: 'queued', dueAt: until, wantedAt: moved };
}

interface Facts extends GateFacts {
  /** The contact wants marketing less often, and other hand-overs to it may be under way: it chose so a moment ago. */
  unsure: boolean;
}

async function readFacts(
  tx: Tx,
  company: SendingCompany,
  tokenKey: KeyObject,
  ready: ReadyMessage[],
  now: Date,
): Promise<(one: ReadyMessage, index: number) => Facts> {
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
  // Sent in one go and done in this order: each statement sees what was committed before it began.
  const [contacts, campaigns, listed, flows, quiet, suppressions, recent] = await Promise.all([
    gate.lockContacts(tx, companyId, contactIds, cap !== null),
    campaignIds.length === 0 ? [] : gate.lockCampaigns(tx, companyId, campaignIds),
    campaignIds.length === 0 ? [] : gate.lockListed(tx, companyId, campaignIds, contactIds),
    flowIds.length === 0 ? [] : gate.lockFlows(tx, companyId, flowIds),
    versions.length === 0 ? [] : gate.findQuietHours(tx, companyId, versions),
    gate.findSuppressions(tx, companyId, addresses),
    cap === null ? [] : gate.countRecent(tx, companyId, contactIds, hoursBefore(now, cap.hours)),
  ]);
  const sparing = contacts.filter(({ marketing_frequency }) => marketing_frequency !== null).map(({ id }) => id);
  const wished = sparing.length === 0 ? [] : await gate.countRecent(tx, companyId, sparing, wishedSince(company, now));
  const recentlyWished = new Map(wished.map((row) => [row.contact_id, row.n]));
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
      contact: contact === null ? null : factsOf(contact, message.channel, recentlyWished.get(contact.id) ?? 0),
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

function factsOf(contact: gate.GateContact, channel: Channel, recent: number): NonNullable<GateFacts['contact']> {
  const { email_consent, sms_consent, email_bounced, timezone, paused_until: pausedUntil } = contact;
  const shared = { timezone, pausedUntil, recentWished: contact.marketing_frequency === null ? null : recent };
  return channel === 'email'
    ? { consent: email_consent, bounced: email_bounced, ...shared }
    : { consent: sms_consent, bounced: false, ...shared };
}

export function sourceOf(status: string | undefined): GateFacts['source'] {
  if (status === 'active' || status === 'sending') return 'running';
  return status === 'paused' ? 'paused' : 'ended';
}

/** Of a message whose flow's quiet hours matter. */
function versionOf({ origin, transactional }: ClaimedMessage): { flowId: number; version: number }[] {
  return origin.kind === 'flow' && !transactional ? [origin] : [];
}

function keyOf({ flowId, version }: { flowId: number; version: number }): string {
  return `${flowId}:${version}`;
}

function distinct(ids: (number | null)[]): number[] {
  return [...new Set(ids)].filter((id): id is number => id !== null);
}

function wishedSince({ less_often_days }: SendingCompany, now: Date): Date {
  return hoursBefore(now, less_often_days * 24);
}

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * 3_600_000);
}
