import type { ConsentState } from '../../recipients/consent.ts';
import { type QuietHours, quietUntil } from '../../recipients/quiet-hours.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';

/** Why a message was not sent. See docs/design/sending.md. */
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

/** `wait`: not now; the message only gets another due time. */
export type Verdict = { kind: 'pass' } | { kind: 'skip'; reason: SkipReason } | Wait;

/** `planned`: this wait does not count as lateness. */
export interface Wait {
  kind: 'wait';
  until: Date;
  planned?: true;
}

/** The facts about one message at its hand-over, read under locks held until it is decided. */
export interface GateFacts {
  /** null: the contact was erased, or the message goes to an address without a contact. */
  contact: {
    /** For the message's channel. */
    consent: ConsentState;
    /** Only for an e-mail. */
    bounced: boolean;
    timezone: string | null;
    pausedUntil: Date | null;
    /** Recent marketing messages, including those of this hand-over, if the contact wants fewer; null if it wants all. */
    recentWished: number | null;
  } | null;
  /** The contact's current address; null if it no longer has one. */
  address: string | null;
  suppressed: 'bounce' | 'complaint' | 'unsubscribe' | 'manual' | null;
  /** State of the message's flow or campaign. */
  source: 'running' | 'paused' | 'ended';
  /** Whether the contact is still on the campaign's list; true if there is no list. */
  listed: boolean;
  /** The campaign's own limit; without one its messages are sent however late. Flows use the company's. */
  maxLatenessHours?: number | null;
  /** Quiet hours of the message's flow. */
  quietHours: QuietHours | null;
  /** Recent marketing messages, including those of this hand-over. */
  recent: number;
}

/** A message of a paused flow is checked again after this time, until it is too late. */
const PAUSED_MS = 5 * 60_000;
const PASS: Verdict = { kind: 'pass' };

function skip(reason: SkipReason): Verdict {
  return { kind: 'skip', reason };
}

/** The single gate before every message. Transactional messages skip the rules that limit marketing, but not those for dead addresses. */
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
  // Bounced after repeated temporary refusals, which do not suppress the address.
  if (contact?.bounced) return skip('bounced');
  if (message.transactional || contact === null) return PASS;
  return decideMarketing(message, contact, facts, company, now);
}

/** Reports a suppression as the contact's own state if the contact shows the same. */
function suppressedReason(cause: NonNullable<GateFacts['suppressed']>, contact: GateFacts['contact']): SkipReason {
  if (cause === 'unsubscribe' && contact?.consent === 'unsubscribed') return 'unsubscribed';
  return cause === 'bounce' && contact?.bounced ? 'bounced' : `suppressed_${cause}`;
}

/**
 * Checks in this order: the consent of the channel, the list, the state of the campaign or flow, the contact's pause, lateness and quiet
 * hours, the contact's frequency, the company's cap. The last two count messages handed over, so they come last.
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

/** Decides whether a marketing message has to wait, whoever its recipient; also called before it is composed. null: send now. */
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
  // A paused campaign's messages are not claimed until it resumes.
  if (source === 'paused') return { kind: 'wait', until: kind === 'campaign' ? dueAt : later(now, PAUSED_MS) };
  // A message queued before the quiet hours whose turn comes during them waits as well.
  for (const quiet of [company.quiet_hours, quietHours]) {
    const until = quiet && quietUntil(quiet, zoneOf(quiet.timezone, contactZone, company.timeZone), now);
    if (until !== null) return { kind: 'wait', until, planned: true };
  }
  return null;
}

function zoneOf(named: string | undefined, contactZone: string | null, companyZone: string): string {
  if (named !== undefined && named !== 'contact') return named;
  return contactZone ?? companyZone;
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
