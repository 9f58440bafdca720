import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseEmail, normalisePhone } from './addresses.ts';

describe('e-mail addresses', () => {
  test.each([
    ['ann@example.com', 'ann@example.com'],
    ["  Ann.O'Neil+shop@EXAMPLE.co.uk ", "ann.o'neil+shop@example.co.uk"],
    ['jo@exämple.de', 'jo@xn--exmple-cua.de'],
    ['jo@xn--exmple-cua.de', 'jo@xn--exmple-cua.de'],
    ['a@例え.jp', 'a@xn--r8jz45g.jp'],
    ['a@b.museum', 'a@b.museum'],
  ])('%j is kept as %j', (text, address) => {
    expect(normaliseEmail(text)).toBe(address);
  });

  test.each([
    ...[
      '',
      '@',
      'ann',
      'ann@',
      '@example.com',
      'ann@localhost',
      'a@b@example.com',
      'a b@example.com',
      'a@exam ple.com',
    ],
    ...[
      'a@example.com\r\nBcc: b@example.com',
      'a\u0000@example.com',
      'a@example.com\u0000',
      'a@[127.0.0.1]',
      'a@127.0.0.1',
    ],
    ...['a@0x7f.1', 'a@example.com/x', 'a@example.com:25', 'a@ex%61mple.com', 'a@example.com.', 'a@.com', 'a@a..com'],
    ...[
      '.a@example.com',
      'a.@example.com',
      'a..b@example.com',
      '"a b"@example.com',
      'jörg@example.com',
      // The Kelvin sign, whose lower case is a k.
      '\u212aate@example.com',
      'Ann <ann@example.com>',
    ],
    ...[
      'a@-x.com',
      'a@x-.com',
      'a@x_y.com',
      'a@example.c',
      'ann@example.com,bob@example.com',
      `${'a'.repeat(65)}@example.com`,
    ],
    ...[`a@${'b'.repeat(64)}.com`, `a@${'b.'.repeat(130)}com`, 'a@example.com>'],
  ])('%j is refused', (text) => {
    expect(normaliseEmail(text)).toBeNull();
  });

  test('an accepted address is a single ASCII address that is stable when normalised again', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        '.',
        '@',
        '-',
        '+',
        ' ',
        '\r',
        '\n',
        '\0',
        '<',
        '>',
        ',',
        ';',
        '"',
        'ü',
        '。',
        '%',
        '/',
        '\u00ad',
      ),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          nasty,
          fc.tuple(nasty, nasty).map(([a, b]) => `${a}x@x${b}.com`),
          fc.emailAddress(),
        ),
        (text) => {
          const address = normaliseEmail(text);
          if (address === null) return;
          expect(address).toMatch(/^[!-?A-~]+@[a-z0-9.-]+$/);
          expect(address).not.toMatch(/[<>,;"()\s]/);
          expect(normaliseEmail(address)).toBe(address);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('phone numbers', () => {
  test.each([
    ['030 123456', 'DE', '+4930123456'],
    ['+49 (0)30 123456', null, '+4930123456'],
    ['(213) 373-4253', 'us', '+12133734253'],
    ['0044 20 7946 0958', 'DE', '+442079460958'],
  ])('%j in %s is %s', (text, country, number) => {
    expect(normalisePhone(text, country)).toBe(number);
  });

  test.each([
    ['030 123456', null],
    ['030 123456', 'XX'],
    ['12', 'DE'],
    ['not a number', 'DE'],
    ['call +49 30 123456 now', 'DE'],
    ['', 'DE'],
    ['1'.repeat(1000), 'US'],
  ])('number %# of the table is none', (text, country) => {
    expect(normalisePhone(text, country)).toBeNull();
  });
});
