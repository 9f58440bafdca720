import { describe, expect, test } from 'vitest';
import { decideHandOver, type GateFacts } from './gate.ts';

const now = new Date('2026-03-15T12:00:00Z');
const flow = { kind: 'flow', flowId: 1, version: 1, runId: 1, stepId: 's', eventId: null } as const;
const campaign = { kind: 'campaign', campaignId: 1 } as const;
const message = {
  channel: 'email',
  transactional: false,
  dueAt: now,
  wantedAt: now,
  origin: flow,
  contactId: 1,
} as const;
const company = { timeZone: 'Europe/Berlin', quiet_hours: null, frequency_cap: null, max_lateness_hours: 24 };
const PERSON = {
  consent: 'subscribed',
  bounced: false,
  timezone: null,
  pausedUntil: null,
  recentWished: null,
} as const;
const facts: GateFacts = {
  contact: PERSON,
  address: 'a@example.net',
  suppressed: null,
  source: 'running',
  listed: true,
  quietHours: null,
  recent: 0,
};
const tomorrow = new Date(now.getTime() + 24 * 3_600_000);
const yesterday = new Date(now.getTime() - 25 * 3_600_000);

type Case = [string, object, object, string, string];

/** The outcomes of a marketing message and a transactional one in the same situation. */
const CASES: Case[] = [
  ['nothing against it', {}, {}, 'pass', 'pass'],
  ['erased contact', { contact: null }, {}, 'contact_erased', 'contact_erased'],
  ['no address', { address: null }, {}, 'no_address', 'no_address'],
  ['unsubscribed', { contact: { ...PERSON, consent: 'unsubscribed' } }, {}, 'unsubscribed', 'pass'],
  ['never asked', { contact: { ...PERSON, consent: 'never' } }, {}, 'never_consented', 'pass'],
  ['bounced', { contact: { ...PERSON, bounced: true } }, {}, 'bounced', 'bounced'],
  ['suppressed by a bounce', { suppressed: 'bounce' }, {}, 'suppressed_bounce', 'suppressed_bounce'],
  ['suppressed by a complaint', { suppressed: 'complaint' }, {}, 'suppressed_complaint', 'suppressed_complaint'],
  ['suppressed by leaving', { suppressed: 'unsubscribe' }, {}, 'suppressed_unsubscribe', 'pass'],
  ['not on the list', { listed: false }, { origin: campaign }, 'not_on_list', 'pass'],
  ['flow archived', { source: 'ended' }, {}, 'flow_archived', 'pass'],
  ['campaign cancelled', { source: 'ended' }, { origin: campaign }, 'campaign_cancelled', 'pass'],
  ['paused by the contact', { contact: { ...PERSON, pausedUntil: tomorrow } }, {}, 'paused_by_contact', 'pass'],
  ['a pause of the contact that is over', { contact: { ...PERSON, pausedUntil: now } }, {}, 'pass', 'pass'],
  ['wanted less often, one went', { contact: { ...PERSON, recentWished: 1 } }, {}, 'frequency_preference', 'pass'],
  ['wanted less often, none went', { contact: { ...PERSON, recentWished: 0 } }, {}, 'pass', 'pass'],
  [
    'paused by the contact, of an ended campaign',
    { source: 'ended', contact: { ...PERSON, pausedUntil: tomorrow } },
    { origin: campaign },
    'campaign_cancelled',
    'pass',
  ],
  [
    'paused by the contact and by the shop',
    { source: 'paused', contact: { ...PERSON, pausedUntil: tomorrow } },
    {},
    'paused_by_contact',
    'pass',
  ],
  [
    'wanted less often, too late',
    { contact: { ...PERSON, recentWished: 1 } },
    { wantedAt: yesterday },
    'too_late',
    'pass',
  ],
  ['flow paused', { source: 'paused' }, {}, '2026-03-15T12:05:00.000Z', 'pass'],
  ['quiet hours of its flow', { quietHours: { start: '12:00', end: '14:00' } }, {}, '2026-03-15T13:00:00.000Z', 'pass'],
  ['beside quiet hours of its flow', { quietHours: { start: '14:00', end: '12:00' } }, {}, 'pass', 'pass'],
  ['too late', {}, { wantedAt: yesterday }, 'too_late', 'pass'],
  ['too late, of a paused flow', { source: 'paused' }, { wantedAt: yesterday }, 'too_late', 'pass'],
  ['late, of a campaign without a limit', {}, { origin: campaign, wantedAt: yesterday }, 'pass', 'pass'],
  ['too late, of a campaign', { maxLatenessHours: 24 }, { origin: campaign, wantedAt: yesterday }, 'too_late', 'pass'],
];

describe('the gate', () => {
  test.each(CASES)('%s', (_name, given, change, marketing, transactional) => {
    const decide = (isTransactional: boolean) => {
      const verdict = decideHandOver(
        { ...message, ...change, transactional: isTransactional },
        { ...facts, ...given },
        company,
        now,
      );
      if (verdict.kind === 'skip') return verdict.reason;
      return verdict.kind === 'wait' ? verdict.until.toISOString() : 'pass';
    };
    expect([decide(false), decide(true)]).toEqual([marketing, transactional]);
  });

  test('quiet hours are those of the contact, else of the company', () => {
    const quiet = { ...company, quiet_hours: { start: '20:00', end: '08:00', timezone: 'contact' } };
    const evening = new Date('2026-03-15T19:30:00Z');
    const late = { ...message, dueAt: evening };
    expect(decideHandOver(late, facts, quiet, evening)).toEqual({
      kind: 'wait',
      until: new Date('2026-03-16T07:00:00Z'),
      planned: true,
    });
    const there = { ...facts, contact: { ...PERSON, timezone: 'America/New_York' } };
    expect(decideHandOver(late, there, quiet, evening)).toEqual({ kind: 'pass' });
  });

  test('what the contact wishes comes before what the company allows', () => {
    const capped = { ...company, frequency_cap: { messages: 1, hours: 24 } };
    const both = { ...facts, recent: 1, contact: { ...PERSON, recentWished: 1 } };
    expect(decideHandOver(message, both, capped, now)).toEqual({ kind: 'skip', reason: 'frequency_preference' });
  });

  test('the frequency cap counts marketing messages only', () => {
    const capped = { ...company, frequency_cap: { messages: 2, hours: 24 } };
    expect(decideHandOver(message, { ...facts, recent: 1 }, capped, now)).toEqual({ kind: 'pass' });
    expect(decideHandOver(message, { ...facts, recent: 2 }, capped, now)).toEqual({
      kind: 'skip',
      reason: 'frequency_cap',
    });
    expect(decideHandOver({ ...message, transactional: true }, { ...facts, recent: 9 }, capped, now).kind).toBe('pass');
  });
});
