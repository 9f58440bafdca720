import { describe, expect, it, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { exchange } from '../../testing/exchange.ts';
import { testServer } from '../../testing/harness.ts';
import { SECURITY_TXT } from './security-txt.ts';

const CONTACT = 'mailto:security@shop.example';
const server = testServer({ config: { securityContact: CONTACT, publicUrl: 'https://shop.example/base/' } });
const plain = testServer({
  config: { securityContact: 'https://shop.example/report', publicUrl: 'http://shop.example' },
});
const without = testServer();

const YEAR_MS = 365 * 86_400_000;

/** Returns the fields in order; a duplicate would show. */
function fieldsOf(text: string): [string, string][] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, name, value] = /^([A-Z][A-Za-z-]+): (\S+)$/.exec(line)!;
      return [name!, value!];
    });
}

describe('/.well-known/security.txt', () => {
  it('names the contact of the configuration to everybody, without a key or a session', async () => {
    const { status, headers, body } = await server.request('GET', SECURITY_TXT);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('set-cookie')).toBeNull();
    expect(fieldsOf(body).map(([name]) => name)).toEqual(['Contact', 'Expires', 'Preferred-Languages', 'Canonical']);
    expect(Object.fromEntries(fieldsOf(body))).toMatchObject({
      Contact: CONTACT,
      'Preferred-Languages': 'en',
      Canonical: `https://shop.example${SECURITY_TXT}`,
    });
    expect((await server.request('HEAD', SECURITY_TXT)).status).toBe(200);
    expect((await server.request('POST', SECURITY_TXT, { body: {} })).status).toBe(404);
  });

  it('expires within a year of the moment at which it is read, and not soon', async () => {
    for (const _ of [1, 2]) {
      const { body } = await server.request('GET', SECURITY_TXT);
      const ahead = Date.parse(Object.fromEntries(fieldsOf(body)).Expires!) - server.clock.now().getTime();
      expect(ahead).toBeLessThan(YEAR_MS);
      expect(ahead).toBeGreaterThan(YEAR_MS / 4);
      server.clock.advance(2 * YEAR_MS);
    }
  });

  it('names no canonical address that is not https', async () => {
    const { body } = await plain.request('GET', SECURITY_TXT);
    expect(fieldsOf(body).map(([name]) => name)).toEqual(['Contact', 'Expires', 'Preferred-Languages']);
  });

  it('is not served under the name of another host', async () => {
    const ask = (host: string): Promise<string> =>
      exchange(server.origin, `GET ${SECURITY_TXT} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask('shop.example')).toMatch(/^HTTP\/1\.1 200 /);
    const refused = await ask('evil.example');
    expect(refused).toMatch(/^HTTP\/1\.1 400 /);
    expect(refused).not.toContain(CONTACT);
  });

  it('does not exist without a contact', async () => {
    expect((await without.request('GET', SECURITY_TXT)).status).toBe(404);
  });
});

describe('TRADELOOM_SECURITY_CONTACT', () => {
  const contact = (value?: string) => readConfig({}, { TRADELOOM_SECURITY_CONTACT: value }).securityContact;

  test.each([CONTACT, 'https://shop.example/report?a=b', 'tel:+49-30-1234567'])('%s is taken', (value) => {
    expect(contact(value)).toBe(value);
  });

  test('is null where it is absent or empty', () => {
    expect([contact(), contact(''), contact('  ')]).toEqual([null, null, null]);
  });

  test.each([
    'security@shop.example',
    'http://shop.example/report',
    'mailto:nobody',
    'javascript:alert(1)',
    'mailto:a@b.example\nCanonical: https://evil.example',
    'mailto:a@b.example mailto:c@d.example',
  ])('%j is refused', (value) => {
    expect(() => contact(value)).toThrow(/^TRADELOOM_SECURITY_CONTACT must be/);
  });
});
