import { exponentOf, isCurrency } from '../../../lib/currency.ts';
import { LANGUAGES } from '../../consent/languages.ts';

/** By language and currency; both are from fixed lists. */
const formats = new Map<string, Intl.NumberFormat>();

/**
 * The filter `money`: `{{ order.total | money: order.currency, "de" }}`. The language is English by default. Returns a text that is not a
 * number, and one without a known currency, unchanged.
 */
export function formatMoney(text: string, currency: unknown, language: unknown = 'en'): string {
  if (text.trim() === '' || typeof currency !== 'string' || !isCurrency(currency)) return text;
  const amount = Number(text);
  if (!Number.isFinite(amount)) return text;
  return formatOf(LANGUAGES.find((one) => one === language) ?? 'en', currency).format(amount);
}

function formatOf(language: string, currency: string): Intl.NumberFormat {
  const key = `${language} ${currency}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const digits = exponentOf(currency);
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(key, format);
  return format;
}
