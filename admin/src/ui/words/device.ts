/** Names that occur only in the headers of these, special ones first: Edge and Opera include Chrome as well, Android Linux. */
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

/** Returns the browser and system that a User-Agent header names, if they are known. */
export function deviceOf(userAgent: string): string {
  const named = (names: Record<string, string>): string[] =>
    Object.entries(names)
      .filter(([word]) => userAgent.includes(word))
      .map(([, name]) => name)
      .slice(0, 1);
  const known = [...named(BROWSERS), ...named(SYSTEMS)];
  return known.length > 0 ? known.join(', ') : userAgent.slice(0, 60);
}
