import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../../lib/threads/processor-time.ts';
import { linkName, readLinkName, readToken, signToken } from '../../consent/tokens.ts';
import { insertAtEnd, rewriteAddresses, schemeOf, withScheme } from './html.ts';
import { trackedAddress } from './track.ts';

const seen = (html: string) => {
  const addresses: [string, boolean][] = [];
  rewriteAddresses(html, (address, followed) => {
    addresses.push([address, followed]);
    return null;
  });
  return addresses;
};

describe('addresses in HTML', () => {
  test.each<[string, [string, boolean][]]>([
    ['<a href="https://a.example/?x=1&amp;y=2">', [['https://a.example/?x=1&y=2', true]]],
    ["<A CLASS=x HREF='https://a.example'>", [['https://a.example', true]]],
    ['<a href=https://a.example/b>text</a>', [['https://a.example/b', true]]],
    ['<a\nhref = "https://a.example">', [['https://a.example', true]]],
    [
      '<img src="https://a.example/i.png"><area href="#x">',
      [
        ['https://a.example/i.png', false],
        ['#x', true],
      ],
    ],
    ['<a title=">" href="https://a.example">', [['https://a.example', true]]],
    ['<!-- <a href="https://no.example"> --><a href="https://a.example">', [['https://a.example', true]]],
    ['<style>a::before{content:"<a href=x>"}</style>', []],
    ['<a href="java&#115;cript&colon;alert(1)">', [['javascript:alert(1)', true]]],
    ['<a href="java\tscript:alert(1)">', [['javascript:alert(1)', true]]],
    ['a < b and <a href="x', [['x', true]]],
  ])('%s', (html, expected) => expect(seen(html)).toEqual(expected));

  test('a change is escaped, and the rest is unchanged', () => {
    const html = '<p>1 < 2</p><a class="b" href=\'https://a.example\' id=c>x</a>';
    expect(rewriteAddresses(html, () => 'https://t.example/?a=1&b="')).toBe(
      '<p>1 < 2</p><a class="b" href="https://t.example/?a=1&#38;b=&#34;" id=c>x</a>',
    );
  });

  test('unchanged HTML stays byte for byte the same', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      'a',
      ' ',
      'href',
      '=',
      '"',
      "'",
      '/',
      '<!--',
      '-->',
      '<style>',
      '</style>',
      '&amp;',
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((all) => all.join('')),
        (html) => rewriteAddresses(html, () => null) === html,
      ),
    );
  });

  test.each(['<a '.repeat(170_000), '<a href="'.repeat(60_000), '<style></'.repeat(60_000), '<a x='.repeat(100_000)])(
    'hostile text takes linear time',
    (html) => {
      const began = processorMs();
      rewriteAddresses(html, () => null);
      expect(processorMs() - began).toBeLessThan(1_000);
    },
  );

  test.each([
    ['https://a', 'https'],
    ['\u0001JavaScript:x', 'javascript'],
    ['//a.example', ''],
    ['a/b:c', ''],
    ['#x', ''],
  ])('the scheme of %j is %j', (address, scheme) => expect(schemeOf(address)).toBe(scheme));

  test('something is put before the end of the last body', () => {
    expect(insertAtEnd('<body>a</BODY></html>', 'X')).toBe('<body>aX</BODY></html>');
    expect(insertAtEnd('a', 'X')).toBe('aX');
  });
});

describe('tokens', () => {
  const key = createSecretKey(randomBytes(32));
  const ids = fc.record({
    companyId: fc.maxSafeNat(),
    subject: fc.maxSafeNat(),
    detail: fc.maxSafeNat(),
  });

  test('reveal their content only with their key and kind', () => {
    const other = createSecretKey(randomBytes(32));
    fc.assert(
      fc.property(ids, (content) => {
        const token = signToken(key, 'unsubscribe', content);
        expect(readToken(key, 'unsubscribe', token)).toEqual(content);
        expect(readToken(key, 'message', token)).toBeNull();
        expect(readToken(other, 'unsubscribe', token)).toBeNull();
      }),
    );
  });

  test('a changed character makes them invalid', () => {
    const token = signToken(key, 'message', { companyId: 1, subject: 2, detail: 0 });
    for (let i = 0; i < token.length - 1; i++) {
      const changed = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1);
      expect(readToken(key, 'message', changed)).toBeNull();
    }
    expect(readToken(key, 'message', '')).toBeNull();
    expect(readToken(key, 'message', `${token}A`)).toBeNull();
  });

  test('a link has one name for each company, which cannot be told from its number', () => {
    const name = linkName(key, 1, 7);
    expect(readLinkName(key, 1, name)).toBe(7);
    expect(readLinkName(key, 2, name)).toBeNull();
    expect(readLinkName(createSecretKey(randomBytes(32)), 1, name)).toBeNull();
    for (const other of ['7', `8${name.slice(1)}`, `07${name.slice(1)}`, `${name}A`, name.slice(0, -1), '', '7-']) {
      expect(readLinkName(key, 1, other), other).toBeNull();
    }
  });
});

describe('an address without a scheme that names a server', () => {
  test.each([
    ['//a.example/x', 'https://a.example/x'],
    ['\\\\a.example/x', 'https://a.example/x'],
    ['/\\a.example', 'https://a.example'],
    ['/a/b', '/a/b'],
    ['https://a.example//b', 'https://a.example//b'],
  ])('%s is %s', (written, whole) => expect(withScheme(written)).toBe(whole));

  test('is tracked as its https form is, and gets the scheme where nothing is tracked', () => {
    const tracking = { base: 'https://shop.example', token: 't' };
    const nameOf = (address: string) => (address === 'https://a.example/x' ? '1-name' : undefined);
    const track = (address: string, followed: boolean, clicks: boolean) =>
      trackedAddress(address, followed, { ...tracking, clicks }, nameOf);
    expect(track('//a.example/x', true, true)).toBe('https://shop.example/t/c/t/1-name');
    expect(track('//a.example/x', true, false)).toBe('https://a.example/x');
    expect(track('//a.example/i.png', false, true)).toBe('https://a.example/i.png');
    expect(track('/x', true, true)).toBeNull();
  });
});
