import { useQuery } from '@tanstack/react-query';
import { COUNTRY_CODES, normaliseCountry } from '../../../../src/lib/countries.ts';
import { language } from '../../i18n/i18n.ts';
import { type Places, wordsOf } from '../form/values.ts';
import type { Choice } from './Pick.tsx';

/** ISO codes by their names in the person's language; found by the English name too. */
function codesByName(type: 'region' | 'currency', codes: readonly string[]): Choice[] {
  const [names, english] = [language(), 'en'].map((one) => new Intl.DisplayNames([one], { type }));
  return codes
    .map((code) => {
      const name = names?.of(code) ?? code;
      return { value: code, label: type === 'currency' ? `${name} (${code})` : name, also: english?.of(code) ?? code };
    })
    .sort((a, b) => a.label.localeCompare(b.label, language()));
}

function zones(): Choice[] {
  const names = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
  return names.map((zone) => ({ value: zone, label: zone, also: zone.replaceAll('_', ' ') }));
}

const made = new Map<string, Choice[]>();

/** Returns the choices; those of states are the states of `countries`, written by code or name, once they are loaded. */
export function usePlaces(places: Places, countries = ''): Choice[] {
  const { data: states = [] } = useQuery({
    queryKey: ['states', countries],
    enabled: places === 'state' && countries !== '',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => statesOf(countries),
  });
  if (places === 'state') return states;
  const key = `${places} ${language()}`;
  const choices =
    made.get(key) ??
    (places === 'country'
      ? codesByName('region', COUNTRY_CODES)
      : places === 'currency'
        ? codesByName('currency', Intl.supportedValuesOf('currency'))
        : zones());
  made.set(key, choices);
  return choices;
}

async function statesOf(countries: string): Promise<Choice[]> {
  const { subdivisionsOf } = await import('../../../../src/lib/subdivisions/subdivisions.ts');
  const codes = wordsOf(countries).flatMap((country) => normaliseCountry(country) ?? []);
  return codes
    .flatMap(subdivisionsOf)
    .map(({ code, name }) => ({ value: code, label: `${name} (${code})`, also: name }));
}
