import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientTypes } from '../../admin/generate-client.ts';

test('the types of the admin app are those of the running code: npm run client', () => {
  const stored = readFileSync(new URL('../../admin/src/api/schema.ts', import.meta.url), 'utf8');
  expect(stored === clientTypes()).toBe(true);
});

const TEXTS = new URL('../../admin/src/i18n/', import.meta.url);

/** The texts of a language by file. */
function textsOf(language: string): Record<string, Record<string, string>> {
  const folder = new URL(`${language}/`, TEXTS);
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8'))]),
  );
}

test('both languages of the admin app have the same texts with the same placeholders', () => {
  const [en, de] = ['en', 'de'].map(textsOf) as [ReturnType<typeof textsOf>, ReturnType<typeof textsOf>];
  expect(Object.keys(de)).toEqual(Object.keys(en));
  // The words of a plural, such as `one {order}`, are no placeholders.
  const placeholders = (text: string): string[] =>
    [...new Set([...text.matchAll(/(?<!plural,.*(?:one|other|=0) )\{(\w+)[,}]/g)].map(([, name]) => name!))].sort();
  for (const [file, texts] of Object.entries(en)) {
    expect(Object.keys(de[file]!)).toEqual(Object.keys(texts));
    const different = Object.entries(texts).filter(
      ([key, text]) => String(placeholders(text)) !== String(placeholders(de[file]![key]!)),
    );
    expect(different).toEqual([]);
  }
});

test('no text of the admin app is in two files, and each file is part of its language', () => {
  for (const language of ['en', 'de']) {
    const files = textsOf(language);
    const keys = Object.values(files).flatMap((texts) => Object.keys(texts));
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
    const sources = [`${language}.ts`, `${language}-catalogue.ts`, `${language}-messaging.ts`, 'catalogues.ts'].map(
      (file) => readFileSync(new URL(file, TEXTS), 'utf8'),
    );
    expect(
      Object.keys(files).filter((file) => !sources.some((source) => source.includes(`'./${language}/${file}'`))),
    ).toEqual([]);
  }
});
