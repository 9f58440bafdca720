/** `1,250` and `1.250`: thousands to some, a fraction to others. */
const AMBIGUOUS = /^(-?[1-9]\d{0,2})[.,](\d{3})$/;

const withoutSpaces = (text: string): string => text.replace(/\s/g, '');

/** The two numbers that a text with three digits behind its only separator can mean; null where it means one. */
export function twoReadings(text: string): [string, string] | null {
  const parts = AMBIGUOUS.exec(withoutSpaces(text));
  return parts === null ? null : [`${parts[1]}${parts[2]}`, String(Number(`${parts[1]}.${parts[2]}`))];
}

/**
 * `12.50` and `12,50` alike; what is no number, or could be two, goes to the server as it is, which says so at the field.
 * `precise` reads three digits behind the separator as a fraction: rates, and currencies of three digits.
 */
export function numberOf(text: string, precise = false): number | string {
  if (!precise && twoReadings(text) !== null) return text;
  const plain = withoutSpaces(text).replace(/^(-?\d+),(\d+)$/, '$1.$2');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : text;
}
