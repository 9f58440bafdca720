import { setupI18n } from '@lingui/core';
import type en from './en.ts';

export type TextKey = keyof typeof en;
export type Language = 'en' | 'de';
export const LANGUAGES: Record<Language, string> = { en: 'English', de: 'Deutsch' };

const STORED = 'tradeloom-language';
const i18n = setupI18n();
type Compiled = Parameters<typeof i18n.load>[1];
const CATALOGUES: Record<Language, () => Promise<unknown>> = {
  en: () => import('./en.ts').then((module) => module.default),
  de: () => import('./de.ts').then((module) => module.default),
};

/** The text of the active language; `values` fill its placeholders. */
export function t(key: TextKey, values?: Record<string, unknown>): string {
  return i18n._(key, values);
}

/** The text under `prefix.value`, or the value itself where the catalogue has none: states that a later server may add. */
export function tOf(prefix: string, value: string): string {
  const key = `${prefix}.${value}`;
  return i18n.messages[key] === undefined ? value : i18n._(key);
}

/** The text under the key; null where the catalogue has none, or none is loaded. */
export function tIf(key: string, values?: Record<string, unknown>): string | null {
  return i18n.messages[key] === undefined ? null : i18n._(key, values);
}

export function language(): Language {
  return i18n.locale === 'de' ? 'de' : 'en';
}

/** What was chosen before, else the first of the browser's languages that there is. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en';
}

/** Loads the catalogue and makes its language the active one; whoever shows texts renders again after it. */
export async function activate(next: Language): Promise<void> {
  i18n.load(next, (await CATALOGUES[next]()) as Compiled);
  i18n.activate(next);
  localStorage.setItem(STORED, next);
  document.documentElement.lang = next;
}
