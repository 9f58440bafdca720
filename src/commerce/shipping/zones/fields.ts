import { type FieldError, validationFailed } from '../../../errors.ts';
import { normaliseSubdivision, subdivisionsOf } from '../../../lib/subdivisions/subdivisions.ts';
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
  const states = given.states ?? old.states;
  const codes = zoneStates(states, countries ?? old.countries, given.states === undefined ? [] : errors);
  if (errors.length > 0) throw validationFailed(errors);
  return {
    name: given.name ?? old.name,
    position: given.position ?? old.position,
    countries: distinct(countries ?? old.countries),
    states: distinct(codes),
    zip_patterns: distinct(given.zip_patterns ?? old.zip_patterns),
  };
}

/**
 * Returns the codes that the states have in the zone's countries. A state that none of them has is an error, unless one has no list of
 * states. A zone without countries keeps its states as they are: they are compared with each address in its own country.
 */
function zoneStates(states: string[], countries: string[], errors: FieldError[]): string[] {
  return states.flatMap((state, i) => {
    const codes = countries.map((country) => normaliseSubdivision(country, state)).filter((code) => code !== null);
    if (codes.length > 0) return codes;
    if (countries.length > 0 && countries.every((country) => subdivisionsOf(country).length > 0)) {
      const params = { name: state, country: countries.join(', ') };
      errors.push(wrong(`states.${i}`, problem('unknown_state', params), 'unknown'));
    }
    return [state];
  });
}

function distinct(values: string[]): string[] {
  return [...new Set(values)];
}

export function zoneRecord(row: ZoneRow): ShippingZone {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
