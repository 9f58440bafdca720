import type { Language } from './languages.ts';
import { GERMAN } from './texts-de.ts';
import { ENGLISH } from './texts-en.ts';
import type { Texts } from './texts-type.ts';

const TEXTS: Record<Language, Texts> = { en: ENGLISH, de: GERMAN };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
