/** `1,250` and `1.250`: thousands in some countries, a fraction in others. */
const AMBIGUOUS = /^(-?[1-9]\d{0,2})[.,](\d{3})$/;

const withoutSpaces = (text: string): string => text.replace(/\s/g, '');

/** The two numbers that a text with three digits after its only separator can mean; null if it is unambiguous. */
export function twoReadings(text: string): [string, string] | null {
  const parts = AMBIGUOUS.exec(withoutSpaces(text));
  return parts === null ? null : [`${parts[1]}${parts[2]}`, String(Number(`${parts[1]}.${parts[2]}`))];
}

/**
 * Parses `12.50` and `12,50` alike; an invalid or ambiguous number is sent to the server unchanged, which reports it at
 * the field. `precise` takes three digits after the separator as a fraction: rates, and currencies with three digits.
 */
export function numberOf(text: string, precise = false): number | string {
  if (!precise && twoReadings(text) !== null) return text;
  const plain = withoutSpaces(text).replace(/^(-?\d+),(\d+)$/, '$1.$2');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** The digits of a currency after the separator: 2 for USD. */
export function digitsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** An amount as it is typed: `17.50`. */
export function moneyText(amount: number, currency: string): string {
  return amount.toFixed(digitsOf(currency));
}
