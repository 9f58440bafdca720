/** Returns a whole number from a URL's parameters, or null if it is absent. Throws for anything else. */
export function numberOf(address: URL, setting: string, name: string, most: number): number | null {
  const text = address.searchParams.get(name);
  if (text === null) return null;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new Error(`The ${name} parameter of ${setting} must be from 1 to ${most}`);
  return value;
}

/** Highest rate in messages per second that a URL may set. */
export const MAX_RATE = 100_000;
export const MAX_CONNECTIONS = 100;
