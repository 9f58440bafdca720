export type Language = 'en' | 'de';
export const LANGUAGES: Record<Language, string> = { en: 'English', de: 'Deutsch' };

export const STORED = 'tradeloom-language';

/** Returns the language chosen before, else the first of the browser's languages that is available. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en';
}

const CATALOGUES: Record<Language, () => Promise<unknown>> = {
  en: () => import('./en.ts').then((module) => module.default),
  de: () => import('./de.ts').then((module) => module.default),
};

/** Loads the texts of a language, by key. */
export function loadTexts(language: Language): Promise<unknown> {
  return CATALOGUES[language]();
}
