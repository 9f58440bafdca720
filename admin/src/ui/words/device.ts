/** The browser and system that a header names, where it names known ones. */
export function deviceOf(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  const known = [browser, system].filter((one) => one !== undefined).map((one) => names[one] ?? one);
  return known.length > 0 ? known.join(', ') : userAgent.slice(0, 60);
}
