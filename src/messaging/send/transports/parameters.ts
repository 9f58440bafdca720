/** A whole number among an address's parameters, or null where it is not given. Throws for anything else. */
export function numberOf(address: URL, setting: string, name: string, most: number): number | null {
  const text = address.searchParams.get(name);
  if (text === null) return null;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new Error(`The ${name} parameter of ${setting} must be from 1 to ${most}`);
  return value;
}

/** Messages per second that an address may ask for. */
export const MAX_RATE = 100_000;
export const MAX_CONNECTIONS = 100;
