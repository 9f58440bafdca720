import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { JobItems } from '../../../lib/threads/job-items.ts';
import { encodeBase64, encodeQuoted } from '../mime/encode.ts';
import type { NewLink } from '../queries.ts';
import { createRenderer } from '../renderer.ts';
import { compileMail } from './compiled.ts';
import type { MessageInput, MessageJob, RenderedMessage } from './jobs.ts';
import { mayHavePlaceholders, PLACEHOLDERS } from './placeholders.ts';

const renderer = createRenderer({ textThreads: 1 });
afterAll(() => renderer.close());

const JOB: MessageJob = {
  companyId: 1,
  channel: 'email',
  campaign: true,
  form: 'bytes',
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
  names: [],
  lastRound: false,
  messages: '',
};

const names = new Map<string, string>();
function nameOf({ url }: NewLink): string {
  if (!names.has(url)) names.set(url, `${names.size + 1}-AAAAAAAAAAA`);
  return names.get(url)!;
}

/** Composes an e-mail for each contact, job by job, with the names of links that the jobs ask for. */
async function composed(html: string, contacts: Record<string, string>[], changes: Partial<MessageJob> = {}) {
  const items = new JobItems(
    contacts.map((contact, n): MessageInput => {
      const unsubscribe = { subject: n + 100, detail: n + 1 };
      return { id: n + 1, to: `c${n}@example.net`, contact, values: {}, unsubscribe, marketing: true, tracked: true };
    }),
  );
  const job = { ...JOB, ...changes, template: { ...JOB.template, html } };
  const results: RenderedMessage[] = [];
  const known: [string, string][] = [];
  while (items.next.length > 0) {
    const outcome = await renderer.renderMessages({ ...job, names: known, messages: JSON.stringify(items.next) });
    if (outcome.ended !== 'done') throw new Error(`not made: ${outcome.ended}`);
    const { value } = outcome;
    if ('missing' in value) for (const link of value.missing) known.push([link.hash.toString('hex'), nameOf(link)]);
    else {
      items.settle({ ended: 'done', value });
      results.push(...value);
    }
  }
  return results;
}

function read(result: RenderedMessage | undefined) {
  if (result?.kind !== 'raw') throw new Error('not made');
  return parse(result.raw.toString('latin1'));
}

/** Composes an e-mail for one contact. */
async function mail(html: string, contact: Record<string, string>, changes: Partial<MessageJob> = {}) {
  return read((await composed(html, [contact], changes))[0]);
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

describe('e-mails from a compiled template', () => {
  const HTML =
    '<html><body><h2>Hello</h2><p>Dear {{ contact.first_name }}, {% if contact.city %}how is {{ contact.city }}?{% endif %}</p><a href="https://shop.example/a?x=1&amp;y=2">Shop</a></body></html>';

  test('each recipient has its own values, links and headers, in both parts', async () => {
    const results = await composed(HTML, [{ first_name: 'Ann <3', city: 'Köln' }, { first_name: 'Bob & Co' }]);
    const [one, two] = [read(results[0]), read(results[1])];
    const name = names.get('https://shop.example/a?x=1&y=2');
    expect(one.html).toContain('<p>Dear Ann &lt;3, how is Köln?</p>');
    expect(one.html).toMatch(new RegExp(`<a href="https://shop.example/t/c/[\\w-]{55}/${name}">Shop</a>`));
    expect(one.html).toMatch(/<div data-preheader[^>]*>For Ann &#60;3/);
    expect(one.html).toMatch(/href="https:\/\/shop.example\/u\/[\w-]{55}">Unsubscribe/);
    expect(one.html).toMatch(/src="https:\/\/shop.example\/t\/o\/[\w-]{55}"/);
    expect(one.text).toMatch(/Dear Ann <3, how is Köln\?/);
    expect(one.text).toMatch(/Shop \(https:\/\/shop.example\/t\/c\/[\w-]{55}\/\d+-A+\)/);
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
    const one = await mail('<a href="{{ unsubscribe_url }}">Leave</a> {{ unsubscribe_url }}', {});
    expect(one.html.match(/https:\/\/shop.example\/u\/[\w-]{55}/g)).toHaveLength(2);
    expect(one.html).not.toContain('>Unsubscribe<');
  });

  test.each([
    ['<a href="{{ unsubscribe_url }}">Leave</a>{{- preferences_url -}}', true],
    ['{{ "Leave: " | append: unsubscribe_url }}', false],
    ['{{ unsubscribe_url | upcase }}', false],
    ['{% if unsubscribe_url %}x{% endif %}', false],
    ['{% assign way = unsubscribe_url %}{{ way | append: "?x" }}', false],
  ])('%s: compiled only where the address is used as it is', (template, may) =>
    expect(mayHavePlaceholders(template)).toBe(may),
  );

  test('text of another script is base64, in lines', async () => {
    const one = await mail(`<p>${'Привет '.repeat(50)}{{ contact.first_name }}</p>`, { first_name: 'Анна' });
    expect(one.html).toContain('Привет Анна</p>');
    expect(one.text).toContain('Анна');
  });

  test.each([
    ['in an address', '<a href="{{ contact.site }}">x</a>', '<a href="#">x</a>'],
    ['in an address behind a >', '<a title=">" href="{{ contact.site }}">x</a>', '<a title=">" href="#">x</a>'],
    ['in a tag', '<a {{ contact.site }}>x</a>', '<a javascript:alert(1)>x</a>'],
    ['as the name of a tag', '<{{ contact.site }}>x</a>', '<javascript:alert(1)>x</a>'],
  ])('with a value %s are processed as a whole', async (_name, html, expected) => {
    const skeleton = html.replace('{{ contact.site }}', `${PLACEHOLDERS.open}0${PLACEHOLDERS.close}`);
    const options = { base: JOB.base, clicks: true, opens: true, preview: false, nameFor: () => undefined };
    expect(compileMail(skeleton, options)).toBe('whole');
    expect((await mail(html, { site: 'javascript:alert(1)' })).html).toContain(expected);
  });

  test('addresses that no mail program should follow lead nowhere', async () => {
    const one = await mail('<a href="javascript:alert(1)">x</a><img src="vbscript:x">', {});
    expect(one.html).toContain('<a href="#">x</a><img src="#">');
  });

  test('marks in the values of a contact change nothing', async () => {
    const one = await mail('<p>{{ contact.first_name }}</p>', { first_name: '\ue0005\ue001\ue002\ue003\ue004!' });
    expect(one.html).toContain('<p>5!</p>');
  });

  test('what cannot be rendered fails alone', async () => {
    const html = '{% if contact.first_name == "Ann" %}{{ contact.first_name | date: contact.long }}{% endif %}';
    const results = await composed(html, [{ first_name: 'Ann', long: 'x'.repeat(101) }, { first_name: 'Bob' }]);
    expect(results).toMatchObject([
      { kind: 'failed', failure: { error: 'a date format has at most 100 characters' } },
      { kind: 'raw' },
    ]);
  });

  test('lead to the same targets as those that are processed as a whole', async () => {
    const html = '<a href="https://shop.example/b">b</a>';
    const one = await mail(html, {});
    const whole = await mail(html, {}, { campaign: false });
    expect(one.html.match(/t\/c\/[\w-]{55}\/[\w-]+/)![0]).toBe(whole.html.match(/t\/c\/[\w-]{55}\/[\w-]+/)![0]);
  });

  test('the signature covers the one-click headers', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const dkim = {
      domain: 'example.com',
      selector: 's1',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    };
    const one = await mail(HTML, { first_name: 'Ann' }, { dkim });
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
