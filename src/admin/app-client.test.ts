import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientTypes } from '../../admin/generate-client.ts';

test('the types of the admin app are those of the running code: npm run client', () => {
  const stored = readFileSync(new URL('../../admin/src/api/schema.ts', import.meta.url), 'utf8');
  expect(stored === clientTypes()).toBe(true);
});

test('both languages of the admin app have the same texts with the same placeholders', () => {
  const [en, de] = ['en', 'de'].map(
    (name) =>
      JSON.parse(readFileSync(new URL(`../../admin/src/i18n/${name}.json`, import.meta.url), 'utf8')) as Record<
        string,
        string
      >,
  );
  expect(Object.keys(de!)).toEqual(Object.keys(en!));
  const placeholders = (text: string): string[] =>
    [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name!))].sort();
  const different = Object.keys(en!).filter(
    (key) => String(placeholders(en![key]!)) !== String(placeholders(de![key]!)),
  );
  expect(different).toEqual([]);
});
