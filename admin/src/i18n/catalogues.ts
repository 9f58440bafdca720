export type Language = 'en' | 'de';
export const LANGUAGES: Record<Language, string> = { en: 'English', de: 'Deutsch' };

export const STORED = 'tradeloom-language';

/** Returns the language chosen before, else the first of the browser's languages that is available. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en';
}

/** The texts of the app, and those that only some pages load (`loadPart` in i18n.ts). */
export type Part =
  | 'app'
  | 'accounts'
  | 'domains'
  | 'home'
  | 'imports'
  | 'rules'
  | 'custom-fields'
  | 'catalogue'
  | 'messaging'
  | 'payments'
  | 'carts'
  | 'money'
  | 'developers'
  | 'event-words'
  | 'promo-codes'
  | 'notices'
  | 'reports'
  | 'rich-text';

const CATALOGUES: Record<Language, Record<Part, () => Promise<{ default: unknown }>>> = {
  en: {
    app: () => import('./en.ts'),
    accounts: () => import('./en/accounts.json'),
    domains: () => import('./en/domains.json'),
    home: () => import('./en/home.json'),
    imports: () => import('./en/imports.json'),
    'custom-fields': () => import('./en/custom-fields.json'),
    rules: () => import('./en/rules.json'),
    catalogue: () => import('./en-catalogue.ts'),
    messaging: () => import('./en-messaging.ts'),
    payments: () => import('./en/payments.json'),
    carts: () => import('./en/carts.json'),
    money: () => import('./en/money.json'),
    developers: () => import('./en/developers.json'),
    'event-words': () => import('./en/event-words.json'),
    'promo-codes': () => import('./en/promo-codes.json'),
    notices: () => import('./en/notices.json'),
    reports: () => import('./en/reports.json'),
    'rich-text': () => import('./en/rich-text.json'),
  },
  de: {
    app: () => import('./de.ts'),
    accounts: () => import('./de/accounts.json'),
    domains: () => import('./de/domains.json'),
    home: () => import('./de/home.json'),
    imports: () => import('./de/imports.json'),
    'custom-fields': () => import('./de/custom-fields.json'),
    rules: () => import('./de/rules.json'),
    catalogue: () => import('./de-catalogue.ts'),
    messaging: () => import('./de-messaging.ts'),
    payments: () => import('./de/payments.json'),
    carts: () => import('./de/carts.json'),
    money: () => import('./de/money.json'),
    developers: () => import('./de/developers.json'),
    'event-words': () => import('./de/event-words.json'),
    'promo-codes': () => import('./de/promo-codes.json'),
    notices: () => import('./de/notices.json'),
    reports: () => import('./de/reports.json'),
    'rich-text': () => import('./de/rich-text.json'),
  },
};

/** Loads the texts of a language, by key. */
export async function loadTexts(language: Language, part: Part = 'app'): Promise<unknown> {
  return (await CATALOGUES[language][part]()).default;
}
