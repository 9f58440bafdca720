import type { ConsentState } from '../../marketing/contacts/consent/states.ts';
import type { QuietHours } from '../../marketing/flows/definition/definition.ts';
import { isZone, quietUntil } from '../../marketing/flows/engine/schedule.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';

/** Why a message was not sent. */
export const SKIP_REASONS = [
  'contact_erased',
  'no_address',
  'bounced',
  'suppressed_bounce',
  'suppressed_complaint',
  'suppressed_unsubscribe',
  'suppressed_manual',
  'unsubscribed',
  'never_consented',
  'not_on_list',
  'campaign_cancelled',
  'flow_archived',
  'paused_by_contact',
  'frequency_preference',
  'frequency_cap',
  'too_late',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** `wait`: not now, and nothing about the message changes but when it is tried. */
export type Verdict = { kind: 'pass' } | { kind: 'skip'; reason: SkipReason } | Wait;

/** `planned`: this waiting does not make the message late. */
export interface Wait {
  kind: 'wait';
  until: Date;
  planned?: true;
}

/** What is known of one message at the moment of its hand-over, read under locks that hold until it is decided. */
export interface GateFacts {
  /** null: erased, or a message to nobody's address. */
  contact: {
    /** Of the message's channel. */
    consent: ConsentState;
    /** Only of an e-mail. */
    bounced: boolean;
    timezone: string | null;
    pausedUntil: Date | null;
    /** Marketing of late, those of this hand-over included, where the contact wants it less often; null: where it wants all. */
    recentWished: number | null;
  } | null;
  /** Where it would go now; null: the contact has no such address any more. */
  address: string | null;
  suppressed: 'bounce' | 'complaint' | 'unsubscribe' | 'manual' | null;
  /** Of the message's flow or campaign. */
  source: 'running' | 'paused' | 'ended';
  /** Whether the campaign's list still has the contact; true where there is no list. */
  listed: boolean;
  /** The campaign's own; without one its messages go however late. Those of flows have the company's. */
  maxLatenessHours?: number | null;
  /** Those of the flow that the message comes from. */
  quietHours: QuietHours | null;
  /** Marketing messages of late, those of this hand-over included. */
  recent: number;
}

/** A flow's message is looked at again after so long when the flow is paused, until it is too late. */
const PAUSED_MS = 5 * 60_000;
const PASS: Verdict = { kind: 'pass' };

function skip(reason: SkipReason): Verdict {
  return { kind: 'skip', reason };
}

/** The one gate before every message. Transactional ones pass what protects from marketing, but not a dead address. */
export function decideHandOver(
  message: Pick<ClaimedMessage, 'channel' | 'transactional' | 'dueAt' | 'wantedAt' | 'origin' | 'contactId'>,
  facts: GateFacts,
  company: Pick<SendingCompany, 'timeZone' | 'quiet_hours' | 'frequency_cap' | 'max_lateness_hours'>,
  now: Date,
): Verdict {
  const { contact, suppressed } = facts;
  if (contact === null && message.contactId !== null) return skip('contact_erased');
  if (facts.address === null) return skip('no_address');
  if (suppressed !== null && !(message.transactional && suppressed === 'unsubscribe')) {
    return skip(suppressedReason(suppressed, contact));
  }
  // Worn out by temporary refusals, which suppress no address.
  if (contact?.bounced) return skip('bounced');
  if (message.transactional || contact === null) return PASS;
  return decideMarketing(message, contact, facts, company, now);
}

/** What is against the address is told as the contact's own where the contact shows the same. */
function suppressedReason(cause: NonNullable<GateFacts['suppressed']>, contact: GateFacts['contact']): SkipReason {
  if (cause === 'unsubscribe' && contact?.consent === 'unsubscribed') return 'unsubscribed';
  return cause === 'bounce' && contact?.bounced ? 'bounced' : `suppressed_${cause}`;
}

/**
 * In this order: the consent of the channel, the list, whether the campaign or flow goes on, the contact's pause, lateness and
 * quiet hours, the contact's frequency, the company's. The last two count what was handed over, so they come last.
 */
function decideMarketing(
  message: Timed,
  contact: NonNullable<GateFacts['contact']>,
  facts: GateFacts,
  company: Pick<SendingCompany, 'timeZone' | 'quiet_hours' | 'frequency_cap' | 'max_lateness_hours'>,
  now: Date,
): Verdict {
  if (contact.consent !== 'subscribed') return skip(contact.consent === 'never' ? 'never_consented' : 'unsubscribed');
  if (!facts.listed) return skip('not_on_list');
  const { kind } = message.origin;
  if (facts.source === 'ended') return skip(kind === 'campaign' ? 'campaign_cancelled' : 'flow_archived');
  if (contact.pausedUntil !== null && contact.pausedUntil > now) return skip('paused_by_contact');
  const waiting = decideTime(message, contact.timezone, facts, company, now);
  if (waiting !== null) return waiting;
  if (contact.recentWished !== null && contact.recentWished > 0) return skip('frequency_preference');
  const cap = company.frequency_cap;
  return cap !== null && facts.recent >= cap.messages ? skip('frequency_cap') : PASS;
}

type Timed = Pick<ClaimedMessage, 'dueAt' | 'wantedAt' | 'origin'>;

/** What a marketing message waits for, whoever it goes to: also asked before it is made. null: now is the time. */
export function decideTime(
  { origin, dueAt, wantedAt }: Timed,
  contactZone: string | null,
  { source, quietHours, maxLatenessHours }: Pick<GateFacts, 'source' | 'quietHours' | 'maxLatenessHours'>,
  company: Pick<SendingCompany, 'timeZone' | 'quiet_hours' | 'max_lateness_hours'>,
  now: Date,
): Verdict | null {
  const { kind } = origin;
  const hours = kind === 'flow' ? company.max_lateness_hours : (maxLatenessHours ?? null);
  if (hours !== null && now.getTime() - wantedAt.getTime() > hours * 3_600_000) return skip('too_late');
  // A paused campaign's messages are not claimed before it goes on.
  if (source === 'paused') return { kind: 'wait', until: kind === 'campaign' ? dueAt : later(now, PAUSED_MS) };
  // What was queued before the quiet hours, and comes to its turn in them, waits as well.
  for (const quiet of [company.quiet_hours, quietHours]) {
    const until = quiet && quietUntil(quiet, zoneOf(quiet.timezone, contactZone, company.timeZone), now);
    if (until !== null) return { kind: 'wait', until, planned: true };
  }
  return null;
}

function zoneOf(named: string | undefined, contactZone: string | null, companyZone: string): string {
  if (named !== undefined && named !== 'contact') return named;
  return contactZone !== null && isZone(contactZone) ? contactZone : companyZone;
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
