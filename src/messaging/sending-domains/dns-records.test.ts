import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createDns, DnsUnreachable } from './dns.ts';
import { dkimFinding, dmarcFinding, spfIncludes, wantedRecords } from './dns-records.ts';
import { examine } from './examine.ts';
import { nextCheck, standingAfter } from './state.ts';
import { startTestDns } from './testing-dns-server.ts';

const server = await startTestDns();
afterAll(() => server.close());
beforeEach(() => {
  server.zone.clear();
  server.aliases.clear();
  server.asked.length = 0;
});
const dns = createDns({ servers: [server.address], timeoutMs: 300 });
const key = { domain: 'mail.shop.example', selector: 'tl1', publicKey: `MIIB${'A'.repeat(388)}`, tracking: null };
const [dkim] = wantedRecords(key, null);

test('a record longer than one string of the DNS is found as it was given', async () => {
  server.zone.set(dkim!.name, [dkim!.value!]);
  expect((await examine(dns, key, null)).dkim).toEqual({ state: 'found', found: dkim!.value });
});

test('a name that does not exist has no records; a server that fails or is silent is unreachable', async () => {
  server.zone.set('broken.example', 'broken').set('silent.example', 'silent');
  expect(await dns.txt('nothing.example')).toEqual([]);
  await expect(dns.txt('broken.example')).rejects.toThrow(DnsUnreachable);
  const began = performance.now();
  await expect(dns.txt('silent.example')).rejects.toThrow(DnsUnreachable);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test.each([
  [[], 'missing'],
  [['v=DKIM1; k=rsa; p=AbC=='], 'found'],
  [['v=DKIM1;k=rsa;t=y;p=Ab C=='], 'found'],
  [['p=AbC=='], 'found'],
  [['v=DKIM1; p='], 'wrong'],
  [['v=DKIM1; p=other'], 'wrong'],
  [['v=DKIM1; k=ed25519; p=AbC=='], 'wrong'],
  [['hello'], 'wrong'],
  [['v=DKIM1; p=AbC==', 'v=DKIM1; p=other'], 'wrong'],
])('the DKIM records %j are %s', (records, state) => {
  expect(dkimFinding(records, 'AbC==').state).toBe(state);
});

test.each([
  [[], 'missing'],
  [['v=spf1 -all'], 'missing'],
  [['v=DMARC1; p=none; rua=mailto:a@b.example'], 'found'],
  [['v=DMARC1;p=reject'], 'found'],
  [['v=DMARC1; p=maybe'], 'wrong'],
  [['v=DMARC1'], 'wrong'],
  [['v=DMARC1; p=none', 'v=DMARC1; p=none'], 'wrong'],
])('the DMARC records %j are %s', (records, state) => {
  expect(dmarcFinding(records).state).toBe(state);
});

test('the policy of the domain above holds where there is none', async () => {
  server.zone.set('_dmarc.shop.example', ['v=DMARC1; p=reject']);
  expect((await examine(dns, key, null)).dmarc).toEqual({ state: 'found', found: 'v=DMARC1; p=reject' });
});

describe('a tracking host', () => {
  const target = 'mail.tradeloom.example';
  const tracking = async (to: string | null = target) => {
    const { tracking } = await examine(
      dns,
      { ...key, tracking: { host: 'links.mail.shop.example', target: to } },
      null,
    );
    return tracking;
  };

  test('is found where it leads to the installation, by itself or by way of others', async () => {
    expect(await tracking()).toEqual({ state: 'missing', found: null });
    server.aliases.set('links.mail.shop.example', 'other.example');
    expect(await tracking()).toEqual({ state: 'wrong', found: 'other.example' });
    server.aliases.set('other.example', 'Mail.Tradeloom.Example');
    expect(await tracking()).toEqual({ state: 'found', found: 'other.example' });
    server.aliases.set('links.mail.shop.example', target);
    expect(await tracking()).toEqual({ state: 'found', found: target });
  });

  test('of names that lead to each other is wrong after a few questions', async () => {
    server.aliases.set('links.mail.shop.example', 'other.example').set('other.example', 'links.mail.shop.example');
    expect(await tracking()).toEqual({ state: 'wrong', found: 'other.example' });
    const asked = server.asked.filter((name) => ['other.example', 'links.mail.shop.example'].includes(name));
    expect(asked).toHaveLength(5);
  });

  test('is not asked for without a name to lead to, and unreachable where the DNS fails', async () => {
    expect(await tracking(null)).toBeUndefined();
    expect(server.asked).not.toContain('links.mail.shop.example');
    server.zone.set('links.mail.shop.example', 'broken');
    expect(await tracking()).toEqual({ state: 'unreachable', found: null });
  });
});

describe('SPF', () => {
  const spf = async (include: string | null) => (await examine(dns, key, include)).spf!.state;

  test('without a known server any one record is taken, and two are wrong', async () => {
    expect(await spf(null)).toBe('missing');
    server.zone.set(key.domain, ['google-site-verification=x', 'v=spf1 mx -all']);
    expect(await spf(null)).toBe('found');
    server.zone.set(key.domain, ['v=spf1 mx -all', 'v=spf1 -all']);
    expect(await spf(null)).toBe('wrong');
  });

  test('a known server must be included, at whatever depth', async () => {
    server.zone.set(key.domain, ['v=spf1 include:other.example -all']);
    expect(await spf('_spf.mail.example')).toBe('wrong');
    server.zone.set('other.example', ['v=spf1 include:_spf.mail.example ~all']);
    expect(await spf('_spf.mail.example')).toBe('found');
  });

  test('records that include each other end the search', async () => {
    server.zone.set(key.domain, ['v=spf1 include:a.example']).set('a.example', [`v=spf1 include:${key.domain}`]);
    expect(await spf('_spf.mail.example')).toBe('wrong');
    const chain = Array.from({ length: 30 }, (_, i) => `include:x${i}.example`).join(' ');
    server.zone.set(key.domain, [`v=spf1 ${chain} -all`]);
    server.asked.length = 0;
    await spf('_spf.mail.example');
    expect(server.asked.filter((name) => name.startsWith('x')).length).toBe(10);
  });

  test('excluded servers are not included ones', () => {
    expect(spfIncludes('v=spf1 -include:a.example +include:B.example. redirect=c.example')).toEqual([
      'b.example',
      'c.example',
    ]);
  });
});

describe('states', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const later = new Date('2026-03-02T12:00:00Z');
  const pending = { state: 'pending', verifiedAt: null, failingSince: null } as const;
  const finding = (state: 'found' | 'missing' | 'unreachable') => ({ dkim: { state, found: null } });
  const verified = standingAfter(pending, finding('found'), now);
  const failing = standingAfter(verified, finding('missing'), later);

  test('pending until the key is found, failing since it was gone first, verified again', () => {
    expect(standingAfter(pending, finding('missing'), now)).toEqual(pending);
    expect(verified).toEqual({ state: 'verified', verifiedAt: now, failingSince: null });
    expect(failing).toEqual({ state: 'failing', verifiedAt: now, failingSince: later });
    expect(standingAfter(failing, finding('missing'), now)).toEqual(failing);
    expect(standingAfter(failing, finding('found'), later)).toEqual(verified);
  });

  test('a DNS that does not respond changes nothing', () => {
    for (const one of [pending, verified, failing]) {
      expect(standingAfter(one, finding('unreachable'), later)).toEqual(one);
    }
  });

  test('a verified domain is checked daily, a new one soon', () => {
    const minutes = (at: Date) => (at.getTime() - now.getTime()) / 60_000;
    expect(minutes(nextCheck(verified, finding('found'), now, now))).toBe(24 * 60);
    expect(minutes(nextCheck(verified, finding('unreachable'), now, now))).toBe(60);
    expect(minutes(nextCheck(pending, finding('missing'), now, now))).toBe(10);
    expect(minutes(nextCheck(pending, finding('missing'), new Date('2026-02-01T00:00:00Z'), now))).toBe(24 * 60);
    const hostSince = (since: string) => minutes(nextCheck(verified, finding('found'), now, now, new Date(since)));
    expect(hostSince('2026-03-01T11:30:00Z')).toBe(10);
    expect(hostSince('2026-02-28T12:00:00Z')).toBe(60);
    expect(hostSince('2026-02-01T12:00:00Z')).toBe(24 * 60);
  });
});
