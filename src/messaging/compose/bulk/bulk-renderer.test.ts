import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeBase64, encodeQuoted } from '../mime/quoted-printable.ts';
import { type BulkOrder, createBulkRenderer } from './bulk-renderer.ts';
import { mayHavePlaceholders } from './placeholders.ts';

const bulkRenderer = createBulkRenderer({ threads: 1 });
afterAll(() => bulkRenderer.close());

const JOB: BulkOrder = {
  companyId: 1,
  template: { html: '', subject: 'Hi {{ contact.first_name }}', previewText: 'For {{ contact.first_name }}' },
  context: { company: { name: 'Tea & Co' }, campaign: { name: 'Spring' } },
  from: { name: 'Tea & Co, Größe', address: 'shop@example.com' },
  replyTo: { address: 'reply@example.com' },
  messageIdEnd: '.c1.mk0zsb9f@example.com',
  date: new Date('2026-03-01T12:00:00Z'),
  dkim: undefined,
  base: 'https://shop.example',
  clicks: true,
  opens: true,
  tokenKey: createSecretKey(Buffer.alloc(32, 7)),
  recipients: [],
};

const names = new Map<string, string>();
const namesOf = async (urls: string[]): Promise<[string, string][]> =>
  urls.map((url) => {
    if (!names.has(url)) names.set(url, `${names.size + 1}-tag`);
    return [url, names.get(url)!];
  });

async function rendered(html: string, contacts: Record<string, string>[], changes: Partial<BulkOrder> = {}) {
  const recipients = contacts.map((contact, n) => ({
    messageId: n + 1,
    contactId: n + 100,
    to: `c${n}@example.net`,
    contact,
    own: {},
  }));
  const order = { ...JOB, ...changes, template: { ...JOB.template, html }, recipients };
  const outcome = await bulkRenderer.renderBulk(order, namesOf);
  if (outcome.ended !== 'done') throw new Error(`not made: ${outcome.ended}`);
  const results = outcome.value;
  return results.map((result) => {
    if (result === 'aside' || 'failed' in result) return result;
    return parse(Buffer.from(result.raw).toString('latin1'));
  });
}

function decodeQuoted(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function parse(raw: string) {
  expect(raw.split('\r\n').every((line) => line.length <= 76 || /^(DKIM| )/.test(line))).toBe(true);
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replace(/\r\n[ \t]/g, ' ');
  const boundary = /boundary="(.*?)"/.exec(head)![1]!;
  const [, text, html] = raw.slice(end).split(`--${boundary}`);
  const decoded = [text!, html!].map((part) => {
    const at = part.indexOf('\r\n\r\n');
    const body = part.slice(at + 4).replace(/\r\n$/, '');
    return part.slice(0, at).includes('base64') ? Buffer.from(body, 'base64').toString('utf8') : decodeQuoted(body);
  });
  return { head, text: decoded[0]!, html: decoded[1]! };
}

describe('e-mails from a form', () => {
  const HTML =
    '<html><body><h2>Hello</h2><p>Dear {{ contact.first_name }}, {% if contact.city %}how is {{ contact.city }}?{% endif %}</p><a href="https://shop.example/a?x=1&amp;y=2">Shop</a></body></html>';

  test('each recipient has its own values, links and headers, in both parts', async () => {
    const [one, two] = await rendered(HTML, [{ first_name: 'Ann <3', city: 'Köln' }, { first_name: 'Bob & Co' }]);
    if (typeof one !== 'object' || typeof two !== 'object' || 'failed' in one || 'failed' in two)
      throw new Error('not made');
    const name = names.get('https://shop.example/a?x=1&y=2');
    expect(one.html).toContain('<p>Dear Ann &lt;3, how is Köln?</p>');
    expect(one.html).toMatch(new RegExp(`<a href="https://shop.example/t/c/[\\w-]{55}/${name}">Shop</a>`));
    expect(one.html).toMatch(/<div data-preheader[^>]*>For Ann &#60;3/);
    expect(one.html).toMatch(/href="https:\/\/shop.example\/u\/[\w-]{55}">Unsubscribe/);
    expect(one.html).toMatch(/src="https:\/\/shop.example\/t\/o\/[\w-]{55}"/);
    expect(one.text).toMatch(/Dear Ann <3, how is Köln\?/);
    expect(one.text).toMatch(/Shop \(https:\/\/shop.example\/t\/c\/[\w-]{55}\/\d+-tag\)/);
    expect(one.text).not.toContain('For Ann');
    expect(one.head).toContain('From: =?UTF-8?Q?');
    expect(one.head).toContain('To: c0@example.net');
    expect(one.head).toContain('Reply-To: reply@example.com');
    expect(one.head).toContain('Subject: Hi Ann <3');
    expect(one.head).toContain('Message-ID: <m1.c1.mk0zsb9f@example.com>');
    expect(one.head).toContain('Date: Sun, 01 Mar 2026 12:00:00 +0000');
    expect(one.head).toMatch(/List-Unsubscribe: +<https:\/\/shop.example\/u\/[\w-]{55}>/);
    expect(one.head).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(two.html).toContain('<p>Dear Bob &amp; Co, </p>');
    expect(two.text).toMatch(/Dear Bob & Co,/);
    expect(two.html.match(/t\/o\/([\w-]{55})/)![1]).not.toBe(one.html.match(/t\/o\/([\w-]{55})/)![1]);
  });

  test('unsubscribe_url in the template takes the place of the footer', async () => {
    const [one] = await rendered('<a href="{{ unsubscribe_url }}">Leave</a> {{ unsubscribe_url }}', [{}]);
    if (typeof one !== 'object' || 'failed' in one) throw new Error('not made');
    expect(one.html.match(/https:\/\/shop.example\/u\/[\w-]{55}/g)).toHaveLength(2);
    expect(one.html).not.toContain('>Unsubscribe<');
  });

  test.each([
    ['<a href="{{ unsubscribe_url }}">Leave</a>{{- preferences_url -}}', true],
    ['{{ "Leave: " | append: unsubscribe_url }}', false],
    ['{{ unsubscribe_url | upcase }}', false],
    ['{% if unsubscribe_url %}x{% endif %}', false],
    ['{% assign way = unsubscribe_url %}{{ way | append: "?x" }}', false],
  ])('%s: made from a form only where the address is used as it is', (template, may) =>
    expect(mayHavePlaceholders(template)).toBe(may),
  );

  test('text of another script is base64, in lines', async () => {
    const [one] = await rendered(`<p>${'Привет '.repeat(50)}{{ contact.first_name }}</p>`, [{ first_name: 'Анна' }]);
    if (typeof one !== 'object' || 'failed' in one) throw new Error('not made');
    expect(one.html).toContain('Привет Анна</p>');
    expect(one.text).toContain('Анна');
  });

  test.each([
    ['in an address', '<a href="{{ contact.site }}">x</a>'],
    ['in an address behind a >', '<a title=">" href="{{ contact.site }}">x</a>'],
    ['in a tag', '<a {{ contact.site }}>x</a>'],
    ['as the name of a tag', '<{{ contact.site }}>x</a>'],
  ])('a value %s is looked at mail by mail', async (_name, html) => {
    expect(await rendered(html, [{ site: 'javascript:alert(1)' }])).toEqual(['aside']);
  });

  test('addresses that no mail program should follow lead nowhere', async () => {
    const [one] = await rendered('<a href="javascript:alert(1)">x</a><img src="vbscript:x">', [{}]);
    if (typeof one !== 'object' || 'failed' in one) throw new Error('not made');
    expect(one.html).toContain('<a href="#">x</a><img src="#">');
  });

  test('marks in the values of a contact change nothing', async () => {
    const [one] = await rendered('<p>{{ contact.first_name }}</p>', [
      { first_name: '\ue0005\ue001\ue002\ue003\ue004!' },
    ]);
    if (typeof one !== 'object' || 'failed' in one) throw new Error('not made');
    expect(one.html).toContain('<p>5!</p>');
  });

  test('what cannot be rendered fails alone', async () => {
    const results = await rendered('{{ contact.first_name | nope }}', [{ first_name: 'Ann' }]);
    expect(results).toMatchObject([{ failed: expect.stringContaining('nope') }]);
  });

  test('the signature covers the one-click headers', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const dkim = {
      domain: 'example.com',
      selector: 's1',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    };
    const [one] = await rendered(HTML, [{ first_name: 'Ann' }], { dkim });
    if (typeof one !== 'object' || 'failed' in one) throw new Error('not made');
    expect(one.head).toMatch(/^DKIM-Signature: .*h=[^;]*list-unsubscribe:\s*list-unsubscribe-post/s);
  });
});

test('quoted-printable: lines of at most 76, and the text back', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'word ', '=', 'ü', '😀', ' ', '\t', '\n', '.'), maxLength: 400 }),
      (text) => {
        const encoded = encodeQuoted(text);
        for (const line of encoded.split('\r\n')) {
          expect(line.length).toBeLessThanOrEqual(76);
          expect(line).toMatch(/^[\t\x20-\x7e]*$/);
          expect(line).not.toMatch(/[ \t]$/);
        }
        expect(decodeQuoted(encoded)).toBe(text.replace(/\r\n|\r|\n/g, '\r\n'));
      },
    ),
  );
  expect(
    encodeBase64('x'.repeat(100))
      .split('\r\n')
      .map((line) => line.length),
  ).toEqual([76, 60]);
});
