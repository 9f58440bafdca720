import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { t } from '../../i18n/i18n.ts';
import { wordsOf } from './values.ts';

interface State {
  code: string;
  name: string;
}

/** Returns the states of countries that are written by code or English name, by name. The list is loaded when it is first needed. */
async function statesIn(countries: string[]): Promise<State[]> {
  const [{ normaliseCountry }, { subdivisionsOf }] = await Promise.all([
    import('../../../../src/lib/countries.ts'),
    import('../../../../src/lib/subdivisions/subdivisions.ts'),
  ]);
  const codes = countries.map(normaliseCountry).filter((code) => code !== null);
  return codes.flatMap(subdivisionsOf);
}

function useStates(countries: string[]): State[] {
  const { data = [] } = useQuery({
    queryKey: ['states', ...countries],
    enabled: countries.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => statesIn(countries),
  });
  return data;
}

/** The states of a country as what a text field suggests: `list` is the field's attribute. */
export function useStateList(country: string | undefined) {
  const list = useId();
  const states = useStates(country ? [country] : []);
  if (states.length === 0) return { options: null };
  const options = (
    <datalist id={list}>
      {states.map(({ code, name }) => (
        <option key={code} value={code} label={name} />
      ))}
    </datalist>
  );
  return { list, options };
}

/** Adds a state of the countries to a list of words. */
export function AddState(props: { countries: string; value: string; onChange(value: string): void }) {
  const words = wordsOf(props.value);
  const left = useStates(wordsOf(props.countries)).filter(({ code }) => !words.includes(code));
  if (left.length === 0) return null;
  return (
    <NativeSelect
      mt={6}
      aria-label={t('field.state.add')}
      value=""
      data={[
        { value: '', label: t('field.state.add') },
        ...left.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
      ]}
      onChange={(event) => props.onChange([...words, event.currentTarget.value].join(', '))}
    />
  );
}
