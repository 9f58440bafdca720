import type { ConsentState } from '../../marketing/contacts/consent/states.ts';

/** What is wrong with a value of a row. It refuses the row, or the record that the row is a part of. */
export class RowFault extends Error {
  /** The field, where it is one. */
  readonly field: string | null;

  constructor(field: string | null, reason: string) {
    super(reason);
    this.field = field;
  }
}

/** A text, or a fault where it is too long. */
export function textOf(field: string, text: string | undefined, max: number): string | null {
  if (text === undefined) return null;
  if (text.length > max) throw new RowFault(field, `has at most ${max} characters`);
  return text;
}

/** Shops write 1,234.50 and 1.234,50; what follows the last separator are the decimals, unless there are three of them. */
function decimalOf(text: string): string | null {
  const plain = text.replace(/[\s\u00a0']/g, '').replace(/^[^\d.,-]{1,3}|[^\d.,]{1,3}$/g, '');
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  const separators = new Set(plain.match(/[.,]/g));
  const groups = /^-?\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(plain);
  if (last === -1) return /^-?\d+$/.test(plain) ? plain : null;
  // 1,234 is a thousand, 1.234 with nothing else a decimal of three places.
  if (separators.size === 1 && groups && (plain[last] === ',' || plain.indexOf('.') !== last)) {
    return plain.replace(/[.,]/g, '');
  }
  const whole = plain.slice(0, last).replace(/[.,]/g, '');
  const decimals = plain.slice(last + 1);
  return /^-?\d*$/.test(whole) && /^\d+$/.test(decimals) ? `${whole === '' ? '0' : whole}.${decimals}` : null;
}

/** The largest amount: of a price, a line or an order. */
export const MAX_MINOR = 99_999_999_900;

/** An amount in minor units, rounded half up where the file has more decimals than the currency. */
export function amountOf(field: string, text: string | undefined, exponent: number): number | null {
  if (text === undefined) return null;
  const decimal = decimalOf(text);
  if (decimal === null) throw new RowFault(field, `«${shown(text)}» is no amount`);
  const [whole = '0', decimals = ''] = decimal.split('.');
  const kept = decimals.slice(0, exponent).padEnd(exponent, '0');
  const up = Number(decimals[exponent] ?? '0') >= 5 ? 1 : 0;
  const minor = Number(whole.replace('-', '') + kept) + up;
  if (minor > MAX_MINOR) throw new RowFault(field, `«${shown(text)}» is too large`);
  return decimal.startsWith('-') && minor > 0 ? -minor : minor;
}

export function wholeOf(field: string, text: string | undefined, max: number): number | null {
  if (text === undefined) return null;
  const value = Number(text.replace(/\.0+$/, ''));
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

/** A no of a column of yes and no says that nobody agreed, not that somebody left. */
export function consentOf(field: string, text: string | undefined): ConsentState | null {
  if (text === undefined) return null;
  const word = CONSENTS.get(text.toLowerCase());
  if (word !== undefined) return word;
  if (YES.test(text)) return 'subscribed';
  if (NO.test(text)) return 'never';
  throw new RowFault(field, `«${shown(text)}» is no consent: subscribed, unsubscribed, never, yes or no`);
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/;
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;
const DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** 2026-03-01 12:00:00 +0100, 3/31/2026 and 31.3.2026; UTC where no offset is given. */
export function momentOf(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const moment = isoMoment(text) ?? partsMoment(SLASHES.exec(text), 0, 1) ?? partsMoment(DOTS.exec(text), 1, 0);
  if (moment === null || moment.getTime() > MAX_MOMENT || moment.getTime() < MIN_MOMENT) {
    throw new RowFault(field, `«${shown(text)}» is no date`);
  }
  return moment;
}

const MIN_MOMENT = Date.UTC(1980, 0, 1);
const MAX_MOMENT = Date.UTC(2100, 0, 1);

function isoMoment(text: string): Date | null {
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] = parts;
  const offset = zone === 'UTC' || zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  return valid(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`), Number(day), offset === 'Z');
}

function partsMoment(parts: RegExpExecArray | null, month: number, day: number): Date | null {
  if (parts === null) return null;
  const [a, b, year, hour, minute, second] = parts.slice(1).map((part) => Number(part ?? 0));
  const of = [a!, b!];
  const moment = new Date(Date.UTC(year!, of[month]! - 1, of[day]!, hour, minute, second));
  return of[month]! > 12 ? null : valid(moment, of[day]!, true);
}

/** JavaScript takes the 31st of a shorter month for the 1st of the next. */
function valid(moment: Date, day: number, inUtc: boolean): Date | null {
  return Number.isNaN(moment.getTime()) || (inUtc && moment.getUTCDate() !== day) ? null : moment;
}

/** A list in one cell: tags, categories. */
export function listOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  // Mailchimp quotes each tag.
  const parts = text.split(/[,;]/).map((part) => part.trim().replace(/^"|"$/g, '').trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** Of a value, as much as a message shows. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
