import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Pick, type PickProps } from '../../ui/pick/Pick.tsx';
import { useCategoryNames, useSuggested } from './queries.ts';

const TYPING_MS = 200;

/** A category by its name; the value is its slug. */
export function CategoryPick(props: Omit<PickProps, 'choices' | 'valueLabel' | 'onText'>) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const names = useCategoryNames();
  const { data } = useSuggested(search);
  const choices = (data?.rows ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
  return <Pick {...props} choices={choices} valueLabel={names.get(props.value) ?? props.value} onText={setText} />;
}
