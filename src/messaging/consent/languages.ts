/** Languages of the public pages, with one file of texts each. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns the first supported language: the contact's own, then those its browser accepts, then the company's. */
export function chooseLanguage(
  properties: Record<string, unknown>,
  acceptLanguage: string | undefined,
  standard: Language,
): Language {
  return (
    ownLanguage(properties.language) ?? ownLanguage(properties.locale) ?? acceptedLanguage(acceptLanguage) ?? standard
  );
}

/** Parses `de`, `de-AT`, `de_CH` and so on; null for an unsupported language. */
function ownLanguage(tag: unknown): Language | null {
  if (typeof tag !== 'string') return null;
  const primary = /^\s*([a-z]{2})(?![a-z])/i.exec(tag)?.[1]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary) ?? null;
}

/** Parses an Accept-Language header (RFC 9110): by weight, then in order. */
function acceptedLanguage(header: string | undefined): Language | null {
  const wishes = (header ?? '').slice(0, 1_000).split(',').slice(0, 20);
  const weighed = wishes.flatMap((wish) => {
    const [tag = '', ...parameters] = wish.split(';');
    const weight = parameters.map((one) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(one)?.[1]).find(Boolean);
    const language = ownLanguage(tag);
    return language === null ? [] : [{ language, weight: Number(weight ?? 1) }];
  });
  const [best] = weighed.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return best?.language ?? null;
}
