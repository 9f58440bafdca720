import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import addressparser from 'nodemailer/lib/addressparser';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors.ts';
import { buildMessage } from './build.ts';
import type { EmailContent } from './email-content.ts';
import { singleLine } from './email-content.ts';
import { textFromHtml } from './html-text.ts';

const basic: EmailContent = {
  from: { name: 'Shop', address: 'shop@example.com' },
  to: { name: 'Ann', address: 'ann@example.net' },
  subject: 'Hello',
  text: 'Hi Ann',
  messageId: '<m1.c1@example.com>',
  date: new Date('2026-03-01T12:00:00Z'),
};

interface Parsed {
  headers: [name: string, value: string][];
  body: string;
}

/** Unfolds the headers; the body stays unchanged. */
function parse(raw: Buffer): Parsed {
  const text = raw.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n');
  return {
    headers: lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    body: text.slice(end + 4),
  };
}

function header(raw: Buffer, name: string): string | undefined {
  return parse(raw).headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Decodes RFC 2047 words, assuming that the encoder splits them between characters only. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}

function decodePart(raw: Buffer, type: string): string {
  const part = raw
    .toString('latin1')
    .split(/\r\n--[^\r]*\r\n/)
    .find((section) => new RegExp(`^Content-Type: ${type}`, 'im').test(section));
  const [head = '', ...rest] = (part ?? '').split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return body;
  return decodeQuoted(body.replaceAll('=\r\n', ''));
}

const tricky = [
  'a',
  'B',
  ' ',
  ':',
  '"',
  '<',
  '>',
  ',',
  ';',
  '@',
  '\\',
  '=?',
  '?=',
  'ü',
  '😀',
  '(',
  ')',
  'Bcc: x@evil.example',
];
const breaking = ['\r', '\n', '\0', '\r\n', '\r\nBcc: x@evil.example', '\t', '\ud800', '\u2028', '\u0085', '\u007f'];
const hostile = fc.oneof(
  fc.string({ unit: fc.constantFrom(...tricky), maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...tricky, ...breaking), maxLength: 40 }),
);

describe('header injection', () => {
  test('no hostile value ever adds a header, a recipient or a body', async () => {
    const plain = parse(
      await buildMessage({ ...basic, headers: { 'X-One': 'x' }, replyTo: { address: 'r@example.com' } }),
    );
    const names = plain.headers.map(([name]) => name.toLowerCase()).sort();
    let built = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostile, { minLength: 7, maxLength: 7 }),
        fc.integer({ min: 0, max: 127 }),
        async (values, where) => {
          const pick = (bit: number, usual: string) => (where & (1 << bit) ? values[bit]! : usual);
          const content: EmailContent = {
            ...basic,
            subject: pick(0, 'Hello'),
            from: { name: pick(1, 'Shop'), address: pick(2, 'shop@example.com') },
            to: { name: pick(3, 'Ann'), address: pick(4, 'ann@example.net') },
            replyTo: { name: pick(5, ''), address: 'r@example.com' },
            headers: { 'X-One': pick(6, 'x') },
          };
          const raw = await buildMessage(content).catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'validation_failed' });
            return null;
          });
          const bad = [
            content.subject,
            content.from.name,
            content.to.name,
            content.replyTo?.name,
            content.headers?.['X-One'],
          ];
          if (bad.some((value) => ['\r', '\n', '\0'].some((control) => value?.includes(control))))
            expect(raw).toBeNull();
          if (!raw) return;
          built += 1;
          const message = parse(raw);
          // A header without a visible value is left out.
          const empty = [
            content.subject.trim() === '' && 'subject',
            content.headers?.['X-One']?.trim() === '' && 'x-one',
          ];
          const expected = names.filter((name) => !empty.includes(name));
          expect(message.headers.map(([name]) => name.toLowerCase()).sort()).toEqual(expected);
          expect(message.body).toBe(plain.body);
          expect(raw.toString('latin1')).toMatch(/^[\x20-\x7e\r\n]*$/);
          for (const [name, address] of [
            ['from', 'shop@example.com'],
            ['to', 'ann@example.net'],
          ] as const) {
            expect(addressparser(header(raw, name) ?? '').map((entry) => entry.address)).toEqual([address]);
          }
        },
      ),
      { numRuns: 1500 },
    );
    expect(built).toBeGreaterThan(100);
  });

  test.each([
    ['X-Bad\r\nBcc', 'x'],
    ['Bcc', 'evil@example.com'],
    ['content-type', 'text/html'],
    ['Resent-To', 'evil@example.com'],
    ['DKIM-Signature', 'v=1'],
    ['', 'x'],
    ['X:Y', 'x'],
    ['X-Ü', 'x'],
  ])('the header name %j is refused', async (name, value) => {
    await expect(buildMessage({ ...basic, headers: { [name]: value } })).rejects.toThrow(AppError);
  });

  test.each(['m1@example.com', '<m1>', '<m1@example.com> x', '<m1@example.com>\r\nBcc: x@y.zz', '<a b@example.com>'])(
    'the Message-ID %j is refused',
    async (messageId) => {
      await expect(buildMessage({ ...basic, messageId })).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );
});

describe('a message', () => {
  test('carries the given content, with whole and decodable headers', async () => {
    const url = `https://shop.example/u/${'x'.repeat(300)}`;
    const subject = 'Ihre Bestellung über 12 € ist unterwegs, liebe Frau Müller-Lüdenscheidt – 日本語 😀';
    const raw = await buildMessage({
      ...basic,
      subject,
      from: { name: 'Müller, "Söhne" & Co', address: 'shop@bücher.example' },
      headers: {
        'List-Unsubscribe': `<${url}>, <mailto:u@example.com>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
    expect(decodeWords(header(raw, 'Subject') ?? '')).toBe(subject);
    expect(decodeWords(header(raw, 'From') ?? '')).toBe('Müller, "Söhne" & Co <shop@xn--bcher-kva.example>');
    expect(header(raw, 'List-Unsubscribe')).toBe(`<${url}>, <mailto:u@example.com>`);
    expect(header(raw, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(header(raw, 'Message-ID')).toBe('<m1.c1@example.com>');
    expect(header(raw, 'Date')).toBe('Sun, 01 Mar 2026 12:00:00 +0000');
    expect(header(raw, 'To')).toBe('Ann <ann@example.net>');
  });

  test('has both parts, text first, 7-bit lines that end with CRLF', async () => {
    const html = `<html><body><p>Grüße, <a href="https://a.example/x?y=1&amp;z=2">hier</a></p><img src="x.png"><p>${'lang '.repeat(300)}</p></body></html>`;
    const raw = await buildMessage({ ...basic, text: undefined, html, previewText: 'Nur <heute>' });
    const text = raw.toString('latin1');
    expect(header(raw, 'Content-Type')).toMatch(/^multipart\/alternative;/);
    expect(text.indexOf('text/plain')).toBeLessThan(text.indexOf('text/html'));
    expect(text).toMatch(/^[\x20-\x7e\r\n\t]*$/);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(decodePart(raw, 'text/plain')).toContain('Grüße, hier (https://a.example/x?y=1&z=2)');
    expect(decodePart(raw, 'text/plain')).not.toContain('heute');
    expect(decodePart(raw, 'text/html')).toContain('<body><div data-preheader');
    expect(decodePart(raw, 'text/html')).toContain('Nur &#60;heute&#62;');
  });

  test.each(['Приветствуем вас, дорогие покупатели', 'Guten Tag & schöne Grüße'])('%s comes through', async (text) => {
    const raw = await buildMessage({ ...basic, text, html: `<p>${text}</p>` });
    expect(decodePart(raw, 'text/plain').trim()).toBe(text);
    expect(decodePart(raw, 'text/html').trim()).toBe(`<p>${text}</p>`);
  });

  test('that has neither part, or an address that is none, is refused', async () => {
    await expect(buildMessage({ ...basic, text: undefined })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(buildMessage({ ...basic, to: { address: 'a@b@example.com' } })).rejects.toMatchObject({
      details: { fields: [{ field: 'to' }] },
    });
    await expect(buildMessage({ ...basic, subject: 'x'.repeat(901) })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  test('signed by DKIM verifies, with the one-click header under the signature', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = {
      domain: 'example.com',
      selector: 's1',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const headers = {
      'List-Unsubscribe': '<https://a.example/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    const raw = await buildMessage({ ...basic, html: '<p>Hi &amp; bye</p>', headers }, key);
    const signature = header(raw, 'DKIM-Signature') ?? '';
    const tags = Object.fromEntries(
      signature.split(/;\s*/).map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
    );
    const signed = (tags.h ?? '').replace(/\s/g, '').split(':');
    expect(signed).toEqual(expect.arrayContaining(['from', 'to', 'list-unsubscribe', 'list-unsubscribe-post']));
    const body = parse(raw)
      .body.replace(/[ \t]+\r\n/g, '\r\n')
      .replace(/[ \t]+/g, ' ')
      .replace(/(\r\n)*$/, '\r\n');
    expect(tags.bh).toBe(createHash('sha256').update(body, 'latin1').digest('base64'));
    const relax = (value: string) => value.replace(/\s+/g, ' ').trim();
    const lines = signed.map((name) => `${name}:${relax(header(raw, name) ?? '')}`);
    lines.push(`dkim-signature:${relax(signature.replace(/b=[^;]*$/, 'b='))}`);
    const verify = createVerify('RSA-SHA256').update(lines.join('\r\n'), 'latin1');
    expect(verify.verify(publicKey, (tags.b ?? '').replace(/\s/g, ''), 'base64')).toBe(true);
    await expect(buildMessage(basic, { ...key, privateKey: 'no key' })).rejects.toThrow('cannot sign');
  });
});

test('a rendered subject becomes one line', () => {
  expect(singleLine(' {if}\r\n  Hello\t\u0000Ann\u2028! \ud800')).toBe('{if} Hello Ann !');
});

test('HTML that is deep, wide or broken becomes text without harm', () => {
  for (const html of [
    '<div>'.repeat(100_000),
    '<'.repeat(200_000),
    '<p>a<b>b</b></p>'.repeat(20_000),
    '<table>'.repeat(5_000),
    '&#x0;&bogus;',
  ]) {
    expect(typeof textFromHtml(html)).toBe('string');
  }
});
