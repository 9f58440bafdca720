import type { KeyObject } from 'node:crypto';
import type { Db, Tx } from '../../db/pool.ts';
import { quietUntil } from '../../recipients/quiet-hours.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { HandOver, Outcome, Settled } from '../ledger/settle-queries.ts';
import { limitToWarmUp } from '../sending-domains/warm-up/hand-over-quota.ts';
import { isUnsetSender, type SendingCompany } from '../settings/settings.ts';
import type { CampaignBackoffs, DomainBackoffs } from './backoffs.ts';
import { limitByDomain } from './domain-limits.ts';
import { findFacts, type GateFacts, lockFacts } from './gate-queries.ts';
import { HELD_WHILE_PAUSED, heldUntil } from './holds.ts';
import { type MissingSetting, missingFor, missingOf, NO_SENDER } from './missing-settings.ts';
import type { OutgoingMessage } from './transports/port.ts';

/**
 * The only place that decides whether a message may be sent now: one list of checks, in their order. Before composing they read without
 * locks, so that a message that waits, such as one of a paused flow, is not rendered each time. At the hand-over they read under locks
 * held until COMMIT, and only there a message is skipped. Each phase ends with a quota for the messages that passed: by domain of the
 * recipients before composing, by warm-up of the sending domain at the hand-over.
 */

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

/** A claimed message at the gate. */
export interface Candidate {
  message: ClaimedMessage;
  /** null before it is composed. */
  outgoing: OutgoingMessage | null;
  facts: GateFacts;
}

/** What all messages of a batch have in common. */
export interface GateContext {
  company: Pick<SendingCompany, 'timeZone' | 'quiet_hours' | 'frequency_cap' | 'max_lateness_hours' | 'paused'>;
  now: Date;
  /** The settings that are missing for the company. */
  missing: readonly MissingSetting[];
  /** Whether e-mails need a sender of the company's own. */
  needsSender: boolean;
  /** The base URL of links in messages, without a trailing slash. */
  linkBase: string;
  backoffs: Pick<DomainBackoffs, 'until'>;
  /** Marketing messages of the batch that passed, by contact: they count towards each other's limits. */
  passed: Map<number, number>;
}

export type Phase = 'before composing' | 'at hand-over';

interface Check {
  phases: readonly Phase[];
  /** Whether it applies only to marketing messages to a contact. */
  marketing?: true;
  /** Returns what becomes of the message instead of being sent; null: it passes. */
  decide(one: Candidate, context: GateContext): Outcome | null;
}

const HAND_OVER: readonly Phase[] = ['at hand-over'];
const BOTH: readonly Phase[] = ['before composing', 'at hand-over'];

const CHECKS: Readonly<Record<string, Check>> = {
  'settings exist': {
    phases: BOTH,
    decide({ message, outgoing }, { missing, linkBase }) {
      if (missing.length === 0) return null;
      const linked = outgoing === null ? surelyLinks(message) : carriesLink(outgoing, linkBase);
      const setting = missingFor(missing, message.channel, linked);
      if (setting === null) return null;
      if (message.origin.kind === 'campaign') {
        // The company's account was deactivated since the message was composed: its campaigns wait, unclaimed, or are paused.
        if (setting.channel !== null && outgoing !== null) return RELEASED;
        // Such a campaign is refused at the start. If one has a link after all, its messages fail visibly and can be sent again.
        return { status: 'failed', reason: setting.cause };
      }
      return wait(heldUntil(setting), `held: ${setting.cause}`);
    },
  },
  'company has a sender': {
    phases: HAND_OVER,
    decide({ message: { origin }, outgoing }, { needsSender }) {
      if (!needsSender || origin.kind !== 'flow' || outgoing?.channel !== 'email') return null;
      return isUnsetSender(outgoing.from) ? wait(heldUntil(NO_SENDER), `held: ${NO_SENDER.cause}`) : null;
    },
  },
  'marketing e-mail of the company is not paused': {
    phases: BOTH,
    decide({ message: { channel, transactional, origin } }, { company }) {
      if (company.paused === null || channel !== 'email' || transactional || origin.kind === 'system') return null;
      // The campaign is paused with the company, or will be as soon as a worker notices.
      return origin.kind === 'campaign' ? RELEASED : wait(HELD_WHILE_PAUSED, 'held: marketing_paused');
    },
  },
  'contact exists': {
    phases: HAND_OVER,
    decide: ({ message, facts }) =>
      facts.contact === null && message.contactId !== null ? skip('contact_erased') : null,
  },
  'address exists': {
    phases: HAND_OVER,
    decide: ({ facts }) => (facts.address === null ? skip('no_address') : null),
  },
  'address is not suppressed': {
    phases: HAND_OVER,
    decide({ message, facts: { suppressed, contact } }) {
      if (suppressed === null || (message.transactional && suppressed === 'unsubscribe')) return null;
      // A suppression is reported as the contact's own state if the contact shows the same.
      if (suppressed === 'unsubscribe' && contact?.consent === 'unsubscribed') return skip('unsubscribed');
      return skip(suppressed === 'bounce' && contact?.bounced ? 'bounced' : `suppressed_${suppressed}`);
    },
  },
  // After repeated temporary refusals, which do not suppress the address.
  'contact has not bounced': {
    phases: HAND_OVER,
    decide: ({ facts }) => (facts.contact?.bounced ? skip('bounced') : null),
  },
  'contact consents': {
    phases: HAND_OVER,
    marketing: true,
    decide({ facts }) {
      const consent = facts.contact?.consent;
      if (consent === 'subscribed') return null;
      return skip(consent === 'never' ? 'never_consented' : 'unsubscribed');
    },
  },
  'contact is on the list': {
    phases: HAND_OVER,
    marketing: true,
    decide: ({ facts }) => (facts.listed ? null : skip('not_on_list')),
  },
  'flow or campaign has not ended': {
    phases: HAND_OVER,
    marketing: true,
    decide({ message, facts }) {
      if (facts.source !== 'ended') return null;
      return skip(message.origin.kind === 'campaign' ? 'campaign_cancelled' : 'flow_archived');
    },
  },
  'contact has not paused marketing': {
    phases: HAND_OVER,
    marketing: true,
    decide({ facts }, { now }) {
      const until = facts.contact?.pausedUntil ?? null;
      return until !== null && until > now ? skip('paused_by_contact') : null;
    },
  },
  'message is not too late': {
    phases: BOTH,
    marketing: true,
    decide({ message: { origin, wantedAt }, facts }, { company, now }) {
      const hours = origin.kind === 'flow' ? company.max_lateness_hours : facts.maxLatenessHours;
      return hours !== null && now.getTime() - wantedAt.getTime() > hours * 3_600_000 ? skip('too_late') : null;
    },
  },
  'flow or campaign is not paused': {
    phases: BOTH,
    marketing: true,
    decide({ message, facts }, { now }) {
      if (facts.source !== 'paused') return null;
      // A paused campaign's messages are not claimed until it resumes.
      return wait(message.origin.kind === 'campaign' ? message.dueAt : new Date(now.getTime() + PAUSED_MS));
    },
  },
  // A message queued before the quiet hours whose turn comes during them waits as well.
  'no quiet hours': {
    phases: BOTH,
    marketing: true,
    decide({ message, facts }, { company, now }) {
      for (const quiet of [company.quiet_hours, facts.quietHours]) {
        if (quiet === null) continue;
        const named = quiet.timezone === 'contact' ? undefined : quiet.timezone;
        const until = quietUntil(quiet, named ?? facts.contact?.timezone ?? company.timeZone, now);
        if (until !== null) return waitAsPlanned(message, until, now);
      }
      return null;
    },
  },
  'contact does not want fewer messages': {
    phases: HAND_OVER,
    marketing: true,
    decide({ message, facts }, { passed }) {
      const recent = facts.contact?.recentWished ?? null;
      if (recent === null) return null;
      return recent + passedTo(message, passed) > 0 ? skip('frequency_preference') : null;
    },
  },
  'frequency cap of the company': {
    phases: HAND_OVER,
    marketing: true,
    decide({ message, facts }, { company: { frequency_cap: cap }, passed }) {
      if (cap === null) return null;
      return facts.recent + passedTo(message, passed) >= cap.messages ? skip('frequency_cap') : null;
    },
  },
  // Composed for an outdated address, or while the contact changed its frequency: queued again.
  'message is up to date': {
    phases: HAND_OVER,
    decide: ({ message, outgoing, facts }) =>
      facts.address !== outgoing?.to || (!message.transactional && facts.unsure) ? RELEASED : null,
  },
  'domain of the recipient accepts messages': {
    phases: BOTH,
    decide({ message, facts }, { backoffs, now }) {
      const until = facts.address === null ? null : backoffs.until(message, facts.address, now);
      return until === null ? null : wait(until, 'retry_domain');
    },
  },
};

const CHECKS_OF: Record<Phase, readonly Check[]> = {
  'before composing': Object.values(CHECKS).filter(({ phases }) => phases.includes('before composing')),
  'at hand-over': Object.values(CHECKS).filter(({ phases }) => phases.includes('at hand-over')),
};

/** A message of a paused flow is checked again after this time, until it is too late. */
const PAUSED_MS = 5 * 60_000;
/** Free to be claimed again at once. */
const RELEASED: Outcome = { status: 'queued' };

function skip(reason: SkipReason): Outcome {
  return { status: 'skipped', reason };
}

function wait(dueAt: Date, reason?: string): Outcome {
  return { status: 'queued', dueAt, reason };
}

/** Does not make the message late. */
function waitAsPlanned({ wantedAt }: ClaimedMessage, until: Date, now: Date): Outcome {
  return { status: 'queued', dueAt: until, wantedAt: new Date(wantedAt.getTime() + until.getTime() - now.getTime()) };
}

/** Marketing mails and our own always contain a link. For others this is only known once they are composed. */
function surelyLinks({ channel, origin, transactional }: ClaimedMessage): boolean {
  return channel === 'email' && (!transactional || origin.kind === 'system');
}

function carriesLink(outgoing: OutgoingMessage, base: string): boolean {
  if (outgoing.channel === 'sms') return outgoing.text.includes(`${base}/`);
  if (outgoing.content === null) return outgoing.linked !== false;
  return JSON.stringify(outgoing.content).includes(`${base}/`);
}

function passedTo({ contactId }: ClaimedMessage, passed: GateContext['passed']): number {
  return passed.get(contactId!) ?? 0;
}

/** Returns the outcome of the first check that a message does not pass; null if it passes all. */
export function firstOutcome(phase: Phase, one: Candidate, context: GateContext): Outcome | null {
  const isMarketing = !one.message.transactional && one.message.contactId !== null;
  for (const { marketing, decide } of CHECKS_OF[phase]) {
    const outcome = marketing === true && !isMarketing ? null : decide(one, context);
    // Before composing, what would skip the message is left to the hand-over, which reads under locks.
    if (outcome !== null) return phase === 'before composing' && outcome.status === 'skipped' ? null : outcome;
  }
  return null;
}

/** Returns what becomes of each message; null for those that pass. */
function decideAll(phase: Phase, candidates: Candidate[], context: GateContext): (Outcome | null)[] {
  const { passed } = context;
  return candidates.map((one) => {
    const outcome = firstOutcome(phase, one, context);
    const { contactId, transactional } = one.message;
    if (outcome === null && contactId !== null && !transactional)
      passed.set(contactId, (passed.get(contactId) ?? 0) + 1);
    return outcome;
  });
}

/** Fills in the outcomes of messages that passed all checks but exceed a quota. */
async function applyQuota<One>(
  outcomes: (Outcome | null)[],
  all: One[],
  quota: (passed: One[]) => Promise<(Outcome | null)[]>,
): Promise<void> {
  const passed = all.filter((_, i) => outcomes[i] === null);
  if (passed.length === 0) return;
  const limited = (await quota(passed)).values();
  for (const [i, outcome] of outcomes.entries()) if (outcome === null) outcomes[i] = limited.next().value ?? null;
}

/** A claimed message with its composed content. */
export interface ReadyMessage {
  message: ClaimedMessage;
  outgoing: OutgoingMessage;
  transport: string;
}

export interface Gate {
  /** Returns the messages to compose, and the outcomes of the others. */
  beforeComposing(
    db: Db,
    company: SendingCompany,
    claimed: ClaimedMessage[],
    now: Date,
  ): Promise<{ open: ClaimedMessage[]; settled: Settled[] }>;
  /** Returns the messages to hand over in the same transaction, and the outcomes of the others. */
  atHandOver(
    tx: Tx,
    company: SendingCompany,
    ready: ReadyMessage[],
    now: Date,
  ): Promise<{ going: HandOver[]; settled: Settled[] }>;
}

export interface GateDeps {
  tokenKey: KeyObject;
  /** The settings that this process lacks. */
  missing: readonly MissingSetting[];
  needsSender: boolean;
  origin: () => string;
  backoffs: DomainBackoffs;
  campaignBackoffs: CampaignBackoffs;
}

export function createGate({ tokenKey, missing, needsSender, origin, backoffs, campaignBackoffs }: GateDeps): Gate {
  function contextOf(company: SendingCompany, now: Date): GateContext {
    return {
      company,
      now,
      missing: missingOf(missing, company),
      needsSender: needsSender && !company.isDemo,
      linkBase: origin(),
      backoffs,
      passed: new Map(),
    };
  }

  return {
    async beforeComposing(db, company, claimed, now) {
      const toDomains = company.domainLimits !== null || backoffs.any(company.companyId, now);
      const facts = await findFacts(db, company, claimed, toDomains);
      const candidates = claimed.map((message, i) => ({ message, outgoing: null, facts: facts[i]! }));
      const outcomes = decideAll('before composing', candidates, contextOf(company, now));
      await applyQuota(outcomes, candidates, (passed) => limitByDomain(db, company, passed, now));
      return {
        open: claimed.filter((_, i) => outcomes[i] === null),
        settled: settledOf(claimed, outcomes),
      };
    },
    async atHandOver(tx, company, ready, now) {
      const facts = await lockFacts(tx, company, tokenKey, ready, now);
      const candidates = ready.map(({ message, outgoing }, i) => ({ message, outgoing, facts: facts[i]! }));
      const outcomes = decideAll('at hand-over', candidates, contextOf(company, now));
      await applyQuota(outcomes, ready, (passed) => limitToWarmUp(tx, company, passed, now, campaignBackoffs));
      const going = ready.filter((_, i) => outcomes[i] === null);
      return {
        going: going.map(({ message: { id, epoch }, outgoing, transport }) => {
          return { id, epoch, recipient: outgoing.to, transport };
        }),
        settled: settledOf(
          ready.map(({ message }) => message),
          outcomes,
        ),
      };
    },
  };
}

function settledOf(messages: ClaimedMessage[], outcomes: (Outcome | null)[]): Settled[] {
  return messages.flatMap(({ id, epoch }, i) => {
    const outcome = outcomes[i] ?? null;
    return outcome === null ? [] : { id, epoch, ...outcome };
  });
}
