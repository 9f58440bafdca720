import type { ConsentState } from '../../recipients/consent.ts';
import { DELIMITERS } from '../csv/rows.ts';
import { arrayIn } from '../formats/json-cells.ts';
import { type DateOrder, dateOrderOf, momentIn } from '../readings/dates.ts';
import { decimalOf, separatorOf } from '../readings/numbers.ts';
import type { FileReadings } from '../readings/readings.ts';

/** A fault in a value of a row. It refuses the row, or the record to which the row belongs. */
export class RowFault extends Error {
  /** The field at fault, if it is a single one. */
  readonly field: string | null;
  /** The index of the row at fault among those of the record; the first one where absent. */
  at: number | undefined;

  constructor(field: string | null, reason: string) {
    super(reason);
    this.field = field;
  }
}

/** Reads the row with the index `at` of a record; a fault is that row's, unless it is already another's. */
export function readAt<T>(at: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RowFault) error.at ??= at;
    throw error;
  }
}

/** Returns a text; throws RowFault if it is too long. */
export function textOf(field: string, text: string | undefined, max: number): string | null {
  if (text === undefined) return null;
  if (text.length > max) throw new RowFault(field, `has at most ${max} characters`);
  return text;
}

/** Returns a short text; throws RowFault if it is more than one row: two wrong quotes make one cell of the lines between them. */
export function lineOf(field: string, text: string | undefined, max: number): string | null {
  const line = textOf(field, text, max);
  if (line !== null && /[\r\n]/.test(line) && DELIMITERS.some((one) => line.includes(one))) {
    throw new RowFault(field, `«${shown(line)}» has several lines: perhaps a quote before them is not closed`);
  }
  return line;
}

/** The largest amount of a price, a line or an order, in minor units. */
export const MAX_MINOR = 99_999_999_900;

/** Returns an amount in minor units, rounded half up if the file has more decimals than the currency. */
export function amountOf(
  field: string,
  text: string | undefined,
  exponent: number,
  readings: FileReadings,
): number | null {
  if (text === undefined) return null;
  const [whole = '0', decimals = ''] = numberOf(field, text, readings, 'amount').split('.');
  const kept = decimals.slice(0, exponent).padEnd(exponent, '0');
  const up = Number(decimals[exponent] ?? '0') >= 5 ? 1 : 0;
  const minor = Number(whole.replace('-', '') + kept) + up;
  if (minor > MAX_MINOR) throw new RowFault(field, `«${shown(text)}» is too large`);
  return whole.startsWith('-') && minor > 0 ? -minor : minor;
}

/** Returns a number with a decimal point. */
function numberOf(field: string, text: string, readings: FileReadings, what: string): string {
  const separator = readings.separator(field);
  const decimal = decimalOf(text, separator);
  if (decimal !== null) return decimal;
  const admits = separatorOf(text);
  if (admits === null || admits === 'either' || admits === separator) {
    throw new RowFault(field, `«${shown(text)}» is no ${what}`);
  }
  throw new RowFault(
    field,
    `«${shown(text)}» does not have a ${separator} before its decimals, as this column is read`,
  );
}

export function wholeOf(field: string, text: string | undefined, max: number, readings: FileReadings): number | null {
  if (text === undefined) return null;
  const value = Number(numberOf(field, text, readings, 'whole number'));
  if (!Number.isInteger(value) || Math.abs(value) > max)
    throw new RowFault(field, `«${shown(text)}» is no whole number`);
  return value;
}

const YES = /^(?:1|y|yes|true|ja|j|oui|si|on)$/i;
const NO = /^(?:0|n|no|false|nein|non|off|-1)$/i;

export function yesNoOf(field: string, text: string | undefined): boolean | null {
  if (text === undefined) return null;
  if (YES.test(text)) return true;
  if (NO.test(text)) return false;
  throw new RowFault(field, `«${shown(text)}» is neither yes nor no`);
}

const CONSENTS = new Map<string, ConsentState>(
  Object.entries<ConsentState>({
    subscribed: 'subscribed',
    active: 'subscribed',
    unsubscribed: 'unsubscribed',
    'opted out': 'unsubscribed',
    suppressed: 'unsubscribed',
    never: 'never',
    never_subscribed: 'never',
    'never subscribed': 'never',
    'non-subscribed': 'never',
    'not subscribed': 'never',
    pending: 'never',
    none: 'never',
  }),
);

/** "No" in a yes/no column means that nobody agreed, not that somebody unsubscribed. */
export function consentOf(field: string, text: string | undefined): ConsentState | null {
  if (text === undefined) return null;
  const word = CONSENTS.get(text.toLowerCase());
  if (word !== undefined) return word;
  if (YES.test(text)) return 'subscribed';
  if (NO.test(text)) return 'never';
  throw new RowFault(field, `«${shown(text)}» is no consent: subscribed, unsubscribed, never, yes or no`);
}

/** Parses 2026-03-01 12:00:00 +0100, 3/31/2026 and 31.3.2026, in the column's date order, by default in the file's time zone. */
export function anyMomentOf(field: string, text: string | undefined, readings: FileReadings): Date | null {
  if (text === undefined) return null;
  const order = readings.dateOrder(field);
  const moment = momentIn(text, order, readings.timeZone(field));
  if (moment !== null) return moment;
  if (![order, 'either', null].includes(dateOrderOf(text))) {
    throw new RowFault(field, `«${shown(text)}» does not have the ${ORDER_WORD[order]} first, as this column is read`);
  }
  throw new RowFault(field, `«${shown(text)}» is no date`);
}

/** Like `anyMomentOf`, for what has happened: from 1980 on. Tomorrow may be today elsewhere, and is `now`. */
export function momentOf(field: string, text: string | undefined, readings: FileReadings, now: Date): Date | null {
  const moment = anyMomentOf(field, text, readings);
  if (moment === null) return null;
  if (moment.getTime() < MIN_MOMENT) throw new RowFault(field, `«${shown(text!)}» is no date`);
  if (moment.getTime() > now.getTime() + DAY_MS) throw new RowFault(field, `«${shown(text!)}» is in the future`);
  return moment > now ? now : moment;
}

const ORDER_WORD: Record<DateOrder, string> = { day_first: 'day', month_first: 'month' };
const MIN_MOMENT = Date.UTC(1980, 0, 1);
const DAY_MS = 86_400_000;

/** An element of a list: in quotes, in which it may have commas, or with commas behind a backslash. */
const ELEMENT = /\s*"((?:[^"]|"")*)"\s*(?=[,;]|$)|(?:\\[,;]|[^,;])+/g;

/** Splits a list in one cell, such as tags or categories. Mailchimp quotes tags, WooCommerce writes `\,` for a comma in a name. */
export function listOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const array = arrayIn(text);
  if (array !== null) return [...new Set(array.map(String).filter((part) => part !== ''))];
  const parts = [...text.matchAll(ELEMENT)].map(([whole, quoted]) =>
    quoted === undefined ? whole.replace(/\\([,;])/g, '$1') : quoted.replaceAll('""', '"'),
  );
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

/** Truncates a value for a message. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
