import { language } from '../../../i18n/i18n.ts';
import type { Frequency } from './queries.ts';

export const UNITS: readonly Frequency['unit'][] = ['day', 'week', 'month', 'year'];

const partsOf = (interval: number, unit: Frequency['unit']) =>
  new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'long' }).formatToParts(interval);

/** `10 weeks`, in the person's language. */
export function intervalText({ interval, unit }: Pick<Frequency, 'interval' | 'unit'>): string {
  return partsOf(interval, unit)
    .map(({ value }) => value)
    .join('');
}

/** `weeks`, in the person's language. */
export function unitText(unit: Frequency['unit']): string {
  return partsOf(2, unit).find(({ type }) => type === 'unit')?.value ?? unit;
}
