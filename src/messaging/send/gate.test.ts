import { describe, expect, test } from 'vitest';
import type { ClaimedMessage } from '../ledger/message.ts';
import { firstOutcome, type GateContext } from './gate.ts';
import type { GateFacts } from './gate-queries.ts';
import { type MissingSetting, SETTINGS } from './missing-settings.ts';

const now = new Date('2026-03-15T12:00:00Z');
const flow = { kind: 'flow', flowId: 1, version: 1, runId: 1, stepId: 's', eventId: null } as const;
const campaign = { kind: 'campaign', campaignId: 1 } as const;
const message: ClaimedMessage = {
  companyId: 1,
  id: 1,
  epoch: 1,
  channel: 'email',
  transactional: false,
  contactId: 1,
  recipient: null,
  attempts: 0,
  dueAt: now,
  wantedAt: now,
  origin: flow,
  correlation: null,
};
const outgoing = {
  channel: 'email',
  id: '1-1',
  ledger: { companyId: 1, messageId: 1, contactId: 1 },
  from: 'shop@example.net',
  to: 'a@example.net',
  content: null,
  linked: true,
  raw: () => Promise.resolve(Buffer.alloc(0)),
} as const;
const company = {
  timeZone: 'Europe/Berlin',
  quiet_hours: null,
  frequency_cap: null,
  max_lateness_hours: 24,
  paused: null,
};
const PERSON = {
  consent: 'subscribed',
  bounced: false,
  timezone: null,
  pausedUntil: null,
  recentWished: null,
} as const;
const facts: GateFacts = {
  contact: PERSON,
  unsure: false,
  address: 'a@example.net',
  suppressed: null,
  source: 'running',
  listed: true,
  maxLatenessHours: null,
  quietHours: null,
  recent: 0,
};
const tomorrow = new Date(now.getTime() + 24 * 3_600_000);
const yesterday = new Date(now.getTime() - 25 * 3_600_000);

type Case = [string, object, object, string, string];

/** The outcomes of a marketing message and a transactional one in the same situation. */
const CASES: Case[] = [
  ['nothing against it', {}, {}, 'pass', 'pass'],
  ['composed for a former address', { address: 'b@example.net' }, {}, 'released', 'released'],
  ['just wanted less often', { unsure: true }, {}, 'released', 'pass'],
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

const context: GateContext = {
  company,
  now,
  missing: [],
  needsSender: true,
  linkBase: 'https://shop.example',
  backoffs: { until: () => null },
  passed: new Map(),
};

/** Returns the reason of a skipped message, or when a waiting one is due. */
function atHandOver(change: Partial<ClaimedMessage>, known: Partial<GateFacts>, given: Partial<GateContext>): string {
  const one = { message: { ...message, ...change }, outgoing, facts: { ...facts, ...known } };
  const outcome = firstOutcome('at hand-over', one, { ...context, ...given });
  if (outcome === null) return 'pass';
  return outcome.status === 'skipped' ? outcome.reason! : (outcome.dueAt?.toISOString() ?? 'released');
}

describe('the gate at the hand-over', () => {
  test.each(CASES)('%s', (_name, known, change, marketing, transactional) => {
    const outcomes = [false, true].map((is) => atHandOver({ ...change, transactional: is }, known, {}));
    expect(outcomes).toEqual([marketing, transactional]);
  });

  test('messages without a setting are held; those of campaigns fail for a link, and are released where the account is gone', () => {
    const lacking = (name: string) => {
      const missing = SETTINGS.filter((one): one is MissingSetting => one.name === name);
      return [flow, campaign].map((origin) => {
        const one = { message: { ...message, origin }, outgoing, facts };
        return firstOutcome('at hand-over', one, { ...context, missing });
      });
    };
    expect(lacking('SMTP_URL')).toEqual([
      { status: 'queued', dueAt: expect.any(Date), reason: 'held: no_transport' },
      { status: 'queued' },
    ]);
    expect(lacking('TRADELOOM_PUBLIC_URL')).toEqual([
      { status: 'queued', dueAt: expect.any(Date), reason: 'held: no_public_url' },
      { status: 'failed', reason: 'no_public_url' },
    ]);
    expect(lacking('SMS_URL')).toEqual([null, null]);
  });

  test('quiet hours are those of the contact, else of the company, and do not make a message late', () => {
    const quiet = { ...company, quiet_hours: { start: '20:00', end: '08:00', timezone: 'contact' } };
    const evening = new Date('2026-03-15T19:30:00Z');
    const late = { message: { ...message, dueAt: evening, wantedAt: evening }, outgoing, facts };
    expect(firstOutcome('at hand-over', late, { ...context, company: quiet, now: evening })).toEqual({
      status: 'queued',
      dueAt: new Date('2026-03-16T07:00:00Z'),
      wantedAt: new Date('2026-03-16T07:00:00Z'),
    });
    const there = { contact: { ...PERSON, timezone: 'America/New_York' } };
    expect(atHandOver(late.message, there, { company: quiet, now: evening })).toBe('pass');
  });

  test("the contact's preference comes before the company's limit", () => {
    const capped = { ...company, frequency_cap: { messages: 1, hours: 24 } };
    const both = { recent: 1, contact: { ...PERSON, recentWished: 1 } };
    expect(atHandOver({}, both, { company: capped })).toBe('frequency_preference');
  });

  test('the frequency cap counts marketing messages only, those of the same batch included', () => {
    const capped = { ...company, frequency_cap: { messages: 2, hours: 24 } };
    expect(atHandOver({}, { recent: 1 }, { company: capped })).toBe('pass');
    expect(atHandOver({}, { recent: 2 }, { company: capped })).toBe('frequency_cap');
    expect(atHandOver({}, { recent: 1 }, { company: capped, passed: new Map([[1, 1]]) })).toBe('frequency_cap');
    expect(atHandOver({ transactional: true }, { recent: 9 }, { company: capped })).toBe('pass');
  });
});

describe('the gate before composing', () => {
  const early = (change: Partial<ClaimedMessage>, known: Partial<GateFacts>, given: Partial<GateContext> = {}) =>
    firstOutcome(
      'before composing',
      { message: { ...message, ...change }, outgoing: null, facts: { ...facts, ...known } },
      { ...context, ...given },
    );

  test('skips no message, because it reads without locks', () => {
    expect(early({ wantedAt: yesterday }, { source: 'paused' })).toBeNull();
    expect(early({}, { source: 'paused' })).toEqual({ status: 'queued', dueAt: new Date('2026-03-15T12:05:00Z') });
  });

  test('holds marketing e-mail while the company is paused, and releases that of campaigns', () => {
    const paused = { company: { ...company, paused: 'complaint_rate' as const } };
    expect(early({}, {}, paused)).toMatchObject({ status: 'queued', reason: 'held: marketing_paused' });
    expect(early({ origin: campaign }, {}, paused)).toEqual({ status: 'queued' });
    expect([early({ channel: 'sms' }, {}, paused), early({ transactional: true }, {}, paused)]).toEqual([null, null]);
  });
});
