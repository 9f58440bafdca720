import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';

/** With so many choices or more, there is a search field. */
const MANY = 100;
const TYPING_MS = 200;

export interface Choice {
  value: string;
  label: string;
}

/**
 * Returns the choices that contain what is typed, with the search field where there are many; the selected ones and the
 * empty one always stay.
 */
export function useNarrowed(choices: Choice[], chosen: ReadonlySet<string>, label: string): [Choice[], ReactNode] {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim().toLowerCase(), TYPING_MS);
  if (choices.length <= MANY) return [choices, null];
  const shown = choices.filter(
    (one) => one.value === '' || chosen.has(one.value) || one.label.toLowerCase().includes(search),
  );
  const field = (
    <TextInput
      type="search"
      size="xs"
      mb={4}
      autoComplete="off"
      aria-label={t('choice.search', { label })}
      placeholder={t('choice.search', { label })}
      leftSection={<Icon name="search" size={15} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault();
      }}
    />
  );
  return [shown, field];
}
