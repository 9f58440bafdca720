import type { DateOrder } from './dates.ts';
import type { Separator } from './numbers.ts';

export const READING_KINDS = ['date_order', 'decimal_separator', 'time_zone'] as const;
export const DECIDED_BY = ['option', 'values', 'default'] as const;

/** How the values of an ambiguous column are interpreted. */
export interface Reading {
  kind: (typeof READING_KINDS)[number];
  field: string;
  /** A date order, a decimal separator or the name of a time zone. */
  value: string;
  decided_by: (typeof DECIDED_BY)[number];
  /** The first value that can be interpreted in another way. */
  example: string | null;
}

/** What applies if neither the values nor an option decide. */
export interface ReadingDefaults {
  dateOrder: DateOrder;
  separator: Separator;
  timeZone: string;
}

/** How the values of an import's file are interpreted. */
export interface FileReadings {
  dateOrder(field: string): DateOrder;
  separator(field: string): Separator;
  timeZone(field: string): string;
}

/** Date and number fields of all kinds of records. */
export const DATE_FIELDS: readonly string[] = ['created_at', 'consent_at', 'sale_from', 'sale_to', 'paid_at'];
export const NUMBER_FIELDS: readonly string[] = [
  ...['price', 'sale_price', 'stock', 'total', 'tax', 'shipping', 'fees', 'discount', 'refunded'],
  ...['paid', 'outstanding'],
  ...['compare_at_price', 'cost', 'weight_g'],
  ...['item_qty', 'item_price', 'item_subtotal'],
];

export function fileReadings(readings: readonly Reading[], defaults: ReadingDefaults): FileReadings {
  const stated = new Map(readings.map(({ kind, field, value }) => [`${kind} ${field}`, value]));
  return {
    dateOrder: (field) => (stated.get(`date_order ${field}`) as DateOrder | undefined) ?? defaults.dateOrder,
    separator: (field) => (stated.get(`decimal_separator ${field}`) as Separator | undefined) ?? defaults.separator,
    timeZone: (field) => stated.get(`time_zone ${field}`) ?? defaults.timeZone,
  };
}

/** The conventions of a country: a company's file most likely comes from its own. */
export function defaultsOf({ country, timeZone }: { country: string; timeZone: string }): ReadingDefaults {
  // The language that most people there speak. The script is left out, because with it the locale would be taken for another country's.
  const locale = `${new Intl.Locale('und', { region: country }).maximize().language}-${country}`;
  const date = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type);
  const number = new Intl.NumberFormat(locale).formatToParts(1.5);
  const isComma = number.some(({ type, value }) => type === 'decimal' && value === ',');
  return {
    dateOrder: date.indexOf('day') < date.indexOf('month') ? 'day_first' : 'month_first',
    separator: isComma ? 'comma' : 'point',
    timeZone,
  };
}
