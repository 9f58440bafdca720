import { setupI18n } from '@lingui/core';
import { type Language, loadTexts, type Part, preferredLanguage, STORED } from './catalogues.ts';
import type accounts from './en/accounts.json';
import type carts from './en/carts.json';
import type customFields from './en/custom-fields.json';
import type developers from './en/developers.json';
import type domains from './en/domains.json';
import type eventWords from './en/event-words.json';
import type home from './en/home.json';
import type imports from './en/imports.json';
import type money from './en/money.json';
import type notices from './en/notices.json';
import type payments from './en/payments.json';
import type promoCodes from './en/promo-codes.json';
import type reports from './en/reports.json';
import type richText from './en/rich-text.json';
import type rules from './en/rules.json';
import type en from './en.ts';
import type catalogue from './en-catalogue.ts';
import type messaging from './en-messaging.ts';

export type TextKey =
  | keyof typeof en
  | keyof typeof accounts
  | keyof typeof domains
  | keyof typeof eventWords
  | keyof typeof home
  | keyof typeof imports
  | keyof typeof rules
  | keyof typeof customFields
  | keyof typeof payments
  | keyof typeof carts
  | keyof typeof money
  | keyof typeof notices
  | keyof typeof richText
  | keyof typeof promoCodes
  | keyof typeof reports
  | keyof typeof developers
  | keyof typeof catalogue
  | keyof typeof messaging;

const i18n = setupI18n();
type Compiled = Parameters<typeof i18n.load>[1];

/** The text of the active language; `values` fill its placeholders. */
export function t(key: TextKey, values?: Record<string, unknown>): string {
  return i18n._(key, values);
}

/** Returns the text under `prefix.value`, or the value itself where the catalogue has none, as for states added by a later server. */
export function tOf(prefix: string, value: string): string {
  const key = `${prefix}.${value}`;
  return i18n.messages[key] === undefined ? value : i18n._(key);
}

/** Returns the text under the key; null where the catalogue lacks it or is not loaded. */
export function tIf(key: string, values?: Record<string, unknown>): string | null {
  return i18n.messages[key] === undefined ? null : i18n._(key, values);
}

export function language(): Language {
  return i18n.locale === 'de' ? 'de' : 'en';
}

const parts = new Set<Part>(['app']);

/** Loads the texts of pages that are opened seldom: their modules await it. */
export async function loadPart(part: Part): Promise<void> {
  parts.add(part);
  const now = preferredLanguage();
  i18n.load(now, (await loadTexts(now, part)) as Compiled);
}

/** Loads the catalogue and activates its language; components that show texts must render again after it. */
export async function activate(next: Language): Promise<void> {
  for (const texts of await Promise.all([...parts].map((part) => loadTexts(next, part)))) {
    i18n.load(next, texts as Compiled);
  }
  i18n.activate(next);
  localStorage.setItem(STORED, next);
  document.documentElement.lang = next;
}
