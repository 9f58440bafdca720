import { iso31662 } from 'iso-3166/2.js';
import { expect, test } from 'vitest';
import { areasOf, normaliseSubdivision, subdivisionsOf } from './subdivisions.ts';

test.each([
  ['US', 'Texas', 'TX'],
  ['US', ' texas ', 'TX'],
  ['US', 'tx', 'TX'],
  ['US', 'US-TX', 'TX'],
  ['US', 'Hawaii', 'HI'],
  ['US', 'Hawaiʻi', 'HI'],
  ['US', 'Washington', 'WA'],
  ['US', 'Washington State', 'WA'],
  ['US', 'State of New York', 'NY'],
  ['US', 'Washington, D.C.', 'DC'],
  ['US', 'District of Columbia', 'DC'],
  ['US', 'Puerto Rico', 'PR'],
  ['US', 'AE', 'AE'],
  ['CA', 'Ontario', 'ON'],
  ['CA', 'Québec', 'QC'],
  ['CA', 'Newfoundland & Labrador', 'NL'],
  ['AU', 'New South Wales', 'NSW'],
  ['BR', 'Sao Paulo', 'SP'],
  ['DE', 'Bayern', 'BY'],
  ['DE', 'Bavaria', 'BY'],
  ['DE', 'Thueringen', null],
  ['ES', 'Madrid', 'M'],
  ['ES', 'Comunidad de Madrid', null],
  ['ES', 'Catalonia', 'CT'],
  ['GB', 'Bristol', 'BST'],
  ['IN', 'Maharashtra', 'MH'],
  ['IN', 'Orissa', 'OD'],
  ['IT', 'Bozen', 'BZ'],
  ['IT', 'Milano', 'MI'],
  ['JP', 'Tokyo', '13'],
  ['JP', 'JP13', '13'],
  ['JP', '東京都', '13'],
  ['JP', '京都府', '26'],
  ['JP', '北海道', '01'],
  ['JP', 'Fukuoka Prefecture', '40'],
  ['CN', 'Guangdong Sheng', 'GD'],
  ['CN', '新疆维吾尔自治区', 'XJ'],
  ['KR', '서울특별시', '11'],
  ['KR', '경기도', '41'],
  ['MX', 'CDMX', 'CMX'],
  ['MX', 'Michoacán', 'MIC'],
  ['TW', 'Chiayi', null],
  ['US', 'Ontario', null],
  ['US', 'XX', null],
  ['US', '', null],
  ['US', 'constructor', null],
  ['PR', 'San Juan', null],
])('in %s, %s is %s', (country, text, code) => {
  expect(normaliseSubdivision(country, text)).toBe(code);
});

test('every code is itself, with and without its country', () => {
  for (const { code } of iso31662) {
    const country = code.slice(0, 2);
    expect(normaliseSubdivision(country, code.slice(3).toLowerCase())).toBe(code.slice(3));
    expect(normaliseSubdivision(country, code)).toBe(code.slice(3));
  }
});

test('every name that is shown means its subdivision, or none where several have it', () => {
  const unclear: string[] = [];
  for (const country of new Set(iso31662.map(({ code }) => code.slice(0, 2)))) {
    for (const { code, name } of subdivisionsOf(country)) {
      const meant = normaliseSubdivision(country, name);
      if (meant === code || areasOf(country, meant ?? '').includes(code)) continue;
      expect(meant, `${country}-${code} ${name}`).toBeNull();
      unclear.push(`${country}-${code}`);
    }
  }
  expect(unclear.length).toBeLessThan(60);
});

test('a part is in the whole', () => {
  expect(areasOf('IT', 'Milan')).toEqual(['MI', '25']);
  expect(areasOf('US', 'Texas')).toEqual(['TX']);
  expect(areasOf('US', 'Bavaria')).toEqual([]);
});

test('a country offers its subdivisions by name', () => {
  expect(subdivisionsOf('CA').map(({ name }) => name)).toEqual(
    [...subdivisionsOf('CA').map(({ name }) => name)].sort(),
  );
  expect(subdivisionsOf('CA')).toHaveLength(13);
  expect(subdivisionsOf('HK')).toEqual([]);
});
