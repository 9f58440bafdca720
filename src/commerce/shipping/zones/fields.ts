import { type FieldError, validationFailed } from '../../../errors.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { normaliseZip, zipWithin } from '../../address.ts';
import { readCountry } from '../../fields.ts';
import type { ShippingZone, ShippingZonePatch } from './contract.ts';
import type { ZoneRow, ZoneValues } from './queries.ts';

export const NEW_ZONE: ZoneValues = { name: '', position: 0, countries: [], states: [], zip_patterns: [] };

/** Merges the given fields with the old values. Throws validation_failed with every failing field. */
export function zoneValues(given: ShippingZonePatch, old: ZoneValues): ZoneValues {
  const errors: FieldError[] = [];
  const countries = given.countries?.map((country, i) => readCountry(`countries.${i}`, country, errors));
  given.zip_patterns?.forEach((pattern, i) => {
    const [from, to] = pattern.split('...');
    if (to === undefined || zipWithin(normaliseZip(from!, ''), from!, to)) return;
    const field = `zip_patterns.${i}`;
    errors.push(wrong(field, problem('ends_early'), 'out_of_range'));
  });
  if (errors.length > 0) throw validationFailed(errors);
  return {
    name: given.name ?? old.name,
    position: given.position ?? old.position,
    countries: distinct(countries ?? old.countries),
    states: distinct(given.states ?? old.states),
    zip_patterns: distinct(given.zip_patterns ?? old.zip_patterns),
  };
}

function distinct(values: string[]): string[] {
  return [...new Set(values)];
}

export function zoneRecord(row: ZoneRow): ShippingZone {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
