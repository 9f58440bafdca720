import type { Db, Queryable } from '../../db/pool.ts';
import { zoneOfContact } from '../../recipients/time-zone.ts';
import { putOff } from '../ledger/hand-over.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { Settled } from '../ledger/settle-queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { DomainBackoffs } from './domain-backoffs.ts';
import { putOffByLimits } from './domain-limits.ts';
import { findEmails, findFlows, findZones } from './early-gate-queries.ts';
import { decideTime } from './gate.ts';
import { sourceOf } from './gate-facts.ts';

/** Claimed messages to compose, and the outcomes of the others. */
export interface Admitted {
  open: ClaimedMessage[];
  settled: Settled[];
}

/**
 * Applies the gate's rules on time before messages are composed: a waiting message, such as one of a paused flow, is checked again and
 * again and must not be rendered each time. Reads without locks: the gate checks again at the hand-over, and only the gate decides that a
 * message is not sent at all.
 */
export async function admitInTime(
  db: Queryable,
  company: SendingCompany,
  claimed: ClaimedMessage[],
  now: Date,
): Promise<Admitted> {
  const timed = claimed.filter((message) => isTimed(message, company));
  if (timed.length === 0) return { open: claimed, settled: [] };
  const { companyId } = company;
  const versions = new Map(
    timed.flatMap(({ origin }) => (origin.kind === 'flow' ? [[`${origin.flowId}:${origin.version}`, origin]] : [])),
  );
  const [flows, zones] = await Promise.all([
    versions.size === 0 ? [] : findFlows(db, companyId, [...versions.values()]),
    findZones(
      db,
      companyId,
      timed.flatMap(({ contactId }) => contactId ?? []),
    ),
  ]);
  const flowByVersion = new Map(flows.map((flow) => [`${flow.flow_id}:${flow.version}`, flow]));
  const zoneOf = new Map(zones.map((contact) => [contact.id, zoneOfContact(contact)]));
  const admitted: Admitted = { open: [], settled: [] };
  for (const message of claimed) {
    const { origin, contactId } = message;
    const flow = origin.kind === 'flow' ? flowByVersion.get(`${origin.flowId}:${origin.version}`) : undefined;
    const facts = {
      source: origin.kind === 'flow' ? sourceOf(flow?.status) : ('running' as const),
      quietHours: flow?.quiet_hours ?? null,
    };
    const verdict = isTimed(message, company)
      ? decideTime(message, zoneOf.get(contactId ?? 0) ?? null, facts, company, now)
      : null;
    if (verdict?.kind === 'wait') admitted.settled.push(putOff(message, verdict, now));
    else admitted.open.push(message);
  }
  return admitted;
}

/** Postpones messages to a domain in a back-off or beyond its limit before they are composed. */
export async function admitByDomain(
  db: Db,
  { companyId, domainLimits }: SendingCompany,
  claimed: ClaimedMessage[],
  backoffs: DomainBackoffs,
  now: Date,
): Promise<Admitted> {
  if (!backoffs.any(companyId, now) && domainLimits === null) return { open: claimed, settled: [] };
  const mails = claimed.filter(({ channel }) => channel === 'email');
  const contactIds = mails.flatMap(({ contactId }) => contactId ?? []);
  const found = contactIds.length === 0 ? [] : await findEmails(db, companyId, contactIds);
  const emailOf = new Map(found.map(({ id, email }) => [id, email]));
  const settled: Settled[] = [];
  const awake: { message: ClaimedMessage; to: string | null }[] = [];
  for (const message of claimed) {
    const { id, epoch, channel, contactId, recipient } = message;
    const to = (contactId === null ? recipient : emailOf.get(contactId)) ?? null;
    const dueAt = to === null ? null : backoffs.until(message, to, now);
    if (dueAt === null) awake.push({ message, to: channel === 'email' ? to : null });
    else settled.push({ id, epoch, status: 'queued', reason: 'retry_domain', dueAt });
  }
  const beyond = domainLimits === null ? [] : await putOffByLimits(db, companyId, domainLimits, awake, now);
  const putOff = new Set(beyond.map(({ id }) => id));
  const open = awake.flatMap(({ message }) => (putOff.has(message.id) ? [] : [message]));
  return { open, settled: [...settled, ...beyond] };
}

/** Campaign messages wait here only for quiet hours, because they are claimed only while their campaign is being sent. */
function isTimed({ transactional, origin, contactId }: ClaimedMessage, { quiet_hours }: SendingCompany): boolean {
  if (transactional || contactId === null) return false;
  return origin.kind === 'flow' || (origin.kind === 'campaign' && quiet_hours !== null);
}
