/** By the words that headers of these have and others have not, special ones first: Edge and Opera name Chrome as well, Android Linux. */
const BROWSERS = {
  'Edg/': 'Edge',
  'EdgA/': 'Edge',
  'OPR/': 'Opera',
  'Firefox/': 'Firefox',
  'FxiOS/': 'Firefox',
  'Chrome/': 'Chrome',
  'CriOS/': 'Chrome',
  'Safari/': 'Safari',
};
const SYSTEMS = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  'Mac OS X': 'macOS',
  Linux: 'Linux',
};

/** The browser and system that a header names, where it names known ones. */
export function deviceOf(userAgent: string): string {
  const named = (names: Record<string, string>): string[] =>
    Object.entries(names)
      .filter(([word]) => userAgent.includes(word))
      .map(([, name]) => name)
      .slice(0, 1);
  const known = [...named(BROWSERS), ...named(SYSTEMS)];
  return known.length > 0 ? known.join(', ') : userAgent.slice(0, 60);
}
