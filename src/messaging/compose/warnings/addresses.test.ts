import { expect, test } from 'vitest';
import { processorMs } from '../../../lib/threads/processor-time.ts';
import { addressesIn, looksPersonal } from './addresses.ts';

const short = (html: string, source = html) =>
  addressesIn(html, source).map(({ address, kind, unchecked }) => `${kind} ${address} ${unchecked ?? 'ok'}`);

test('web addresses of links and pictures are found once, and no others', () => {
  const html =
    '<a href="https://a.example/?x=1&amp;y=2">1</a><a href="https://a.example/?x=1&amp;y=2">2</a>' +
    '<img src="//cdn.example/a.png"><td background="https://cdn.example/b.png"></td>' +
    '<a href="#top"></a><a href="mailto:a@b.example"></a><a href="tel:1"></a><a href="https://">x</a><a href="/x"></a>' +
    '<img src="data:image/png;base64,AAAA"><!-- <a href="https://hidden.example"> -->';
  expect(short(html)).toEqual([
    'link https://a.example/?x=1&y=2 ok',
    'picture https://cdn.example/a.png ok',
    'picture https://cdn.example/b.png ok',
  ]);
});

test.each([
  ['https://a.example/{{ event.id }}', 'https://a.example/7', 'link https://a.example/7 ok'],
  ['https://a.example/{{ event.id }}', 'https://a.example/', 'link https://a.example/{{ event.id }} incomplete'],
  ['{{ event.url }}', '', 'link {{ event.url }} incomplete'],
  ['{{ event.url }}', 'https://a.example/x', 'link https://a.example/x ok'],
  ['{{ event.url }}', 'x', 'link {{ event.url }} incomplete'],
  ['https://a.example/{{ a }}/{{ b }}', 'https://a.example//2', 'link https://a.example/{{ a }}/{{ b }} incomplete'],
  ['https://a.example/{{ a }}/{{ b }}', 'https://a.example/1/2', 'link https://a.example/1/2 ok'],
  ['https://a.example/{% if contact.vip %}vip{% endif %}', 'https://a.example/', 'link https://a.example/ ok'],
  ['{{ unsubscribe_url }}', '#', 'link {{ unsubscribe_url }} personal'],
  ['https://r.example/?to={{ preferences_url }}', 'https://r.example/?to=#', 'link https://r.example/?to=# personal'],
  ['https://a.example/{{ vars.login_token }}', 'https://a.example/abc', 'link https://a.example/abc personal'],
  ['mailto:{{ contact.email }}', 'mailto:a@b.example', undefined],
])('%s that is rendered as %s', (written, rendered, expected) => {
  expect(short(`<a href="${rendered}">x</a>`, `<a href="${written}">x</a>`)).toEqual(expected ? [expected] : []);
});

test.each([
  ['https://a.example/unsubscribe/8f3', true],
  ['https://a.example/news/opt-out?u=1', true],
  ['https://a.example/abmelden', true],
  ['https://a.example/cart?token=8f3', true],
  ['https://a.example/order?order_key=8f3', true],
  ['https://a.example/verify/8f3', true],
  ['https://a.example/?token=', false],
  ['https://a.example/tokens?keyword=tea', false],
  ['https://a.example/resettlement', false],
  ['https://a.example/p/tea?utm_source=mail&discount=SPRING', false],
])('%s could do something for somebody: %s', (address, expected) => {
  expect(looksPersonal(new URL(address))).toBe(expected);
});

test('a mail made of thousands of addresses and variables takes no time and names 200', () => {
  const html = Array.from(
    { length: 3_000 },
    (_, i) => `<a href="https://a.example/${'ab'.repeat(400)}${i}">x</a>`,
  ).join('');
  const source = Array.from(
    { length: 3_000 },
    (_, i) => `<a href="https://a.example/${'{{ a }}ab'.repeat(100)}${i}">x</a>`,
  ).join('');
  const began = processorMs();
  expect(addressesIn(html, source)).toHaveLength(200);
  expect(processorMs() - began).toBeLessThan(2_000);
});
