import { readdirSync, readFileSync } from 'node:fs';

/** Returns all texts of the admin app in a language, by key. */
export function adminTexts(language: 'en' | 'de'): Record<string, string> {
  const folder = new URL(`../../admin/src/i18n/${language}/`, import.meta.url);
  const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
  return Object.assign({}, ...files);
}
