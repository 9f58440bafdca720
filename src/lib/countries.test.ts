import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseCountry } from './countries.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const pairs = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
const alpha2 = pairs.filter((code) => normaliseCountry(code) === code);
const alpha3 = pairs.flatMap((pair) => LETTERS.map((c) => pair + c)).filter((code) => normaliseCountry(code) !== null);

test('all 249 countries of ISO 3166-1 are known by both codes, and nothing else of two letters but UK', () => {
  expect(alpha2).toHaveLength(249);
  expect(pairs.filter((code) => normaliseCountry(code) !== null && !alpha2.includes(code))).toEqual(['UK']);
  const codes = alpha3.filter((code) => !['UAE', 'DRC'].includes(code));
  expect(new Set(codes.map(normaliseCountry))).toEqual(new Set(alpha2));
  expect(codes).toHaveLength(249);
});

test.each([
  ['AUS', 'AU'],
  ['AUT', 'AT'],
  ['CHE', 'CH'],
  ['CHN', 'CN'],
  ['DEU', 'DE'],
  ['DNK', 'DK'],
  ['ESP', 'ES'],
  ['IRL', 'IE'],
  ['IRQ', 'IQ'],
  ['SVK', 'SK'],
  ['SVN', 'SI'],
  ['SWE', 'SE'],
  ['UKR', 'UA'],
  ['ZAF', 'ZA'],
])('alpha-3 %s is %s', (code, country) => {
  expect(normaliseCountry(code)).toBe(country);
});

test.each([
  ['United States', 'US'],
  ['the united states of america', 'US'],
  ['U.S.A.', 'US'],
  [' usa\n', 'US'],
  ['uk', 'GB'],
  ['England', 'GB'],
  ['United Kingdom of Great Britain and Northern Ireland', 'GB'],
  ['South Korea', 'KR'],
  ['Korea, Republic of', 'KR'],
  ["Korea (Democratic People's Republic of)", 'KP'],
  ['Congo', 'CG'],
  ['Congo (Democratic Republic of the)', 'CD'],
  ['Republic of the Congo', 'CG'],
  ["People's Republic of China", 'CN'],
  ['Republic of China', 'TW'],
  ['Taiwan, Province of China', 'TW'],
  ['Hong Kong', 'HK'],
  ['Türkiye', 'TR'],
  ['Turkey', 'TR'],
  ["Cote d'Ivoire", 'CI'],
  ['Côte d’Ivoire', 'CI'],
  ['Czech Republic', 'CZ'],
  ['Czechia', 'CZ'],
  ['The Netherlands', 'NL'],
  ['Saint Lucia', 'LC'],
  ['St. Lucia', 'LC'],
  ['Bosnia and Herzegovina', 'BA'],
  ['Bosnia & Herzegovina', 'BA'],
  ['Federal Republic of Germany', 'DE'],
  ['Moldova, Republic of', 'MD'],
  ['Viet Nam', 'VN'],
  ['Guinea-Bissau', 'GW'],
  ['Niger', 'NE'],
  ['Nigeria', 'NG'],
  ['Virgin Islands (U.S.)', 'VI'],
  ['Virgin Islands (British)', 'VG'],
  ['são tomé and príncipe', 'ST'],
])('%s is %s', (name, country) => {
  expect(normaliseCountry(name)).toBe(country);
});

test.each(['', ' ', 'XX', 'XXX', 'Atlantis', 'Republic of', 'constructor', '??', 'x'.repeat(10_000)])(
  '%s is none',
  (name) => {
    expect(normaliseCountry(name)).toBeNull();
  },
);

test('case does not matter, and the result is accepted as input', () => {
  for (const code of alpha3) {
    const country = normaliseCountry(code);
    expect(normaliseCountry(code.toLowerCase())).toBe(country);
    expect(normaliseCountry(country ?? '')).toBe(country);
  }
});

test('any text is a country of the list or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const country = normaliseCountry(text);
      expect(country === null || alpha2.includes(country)).toBe(true);
    }),
  );
});
