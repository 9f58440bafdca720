import { useState } from 'react';
import { Chip, ChipsField } from '../finder/Chips.tsx';
import { type InputProps, type Places, wordsOf } from '../form/values.ts';
import { exact, Pick } from './Pick.tsx';
import { usePlaces } from './places.ts';

/** A country, state, time zone or currency, or several of them, chosen by name. */
export function PlaceInput({ places, ...props }: InputProps & { places: Places }) {
  const { field, value, error, country, onChange } = props;
  const choices = usePlaces(places, country);
  const common = { label: field.label, description: field.help, error, required: field.required, name: field.name };
  if (field.type === 'picks') return <Several {...props} choices={choices} />;
  return <Pick {...common} value={String(value)} choices={choices} onChange={onChange} />;
}

/** Several words are added at once if they are typed with commas between. What is typed belongs to the value before it is added. */
function Several({ field, value, error, onChange, choices }: InputProps & { choices: ReturnType<typeof usePlaces> }) {
  const [typed, setTyped] = useState('');
  const named = (text: string): string[] => wordsOf(text).map((word) => exact(choices, word)?.value ?? word);
  const pending = named(typed);
  const chosen = wordsOf(String(value)).filter((word) => !pending.includes(word));
  const set = (words: string[]): void => onChange([...new Set(words)].join(', '));
  const picker = (
    <Pick
      label={field.label}
      description={field.help}
      error={error}
      name={field.name}
      value=""
      choices={choices.filter((one) => !chosen.includes(one.value))}
      onText={(text) => {
        setTyped(text);
        set([...chosen, ...named(text)]);
      }}
      onChange={onChange}
      onAdd={(text) => set([...chosen, ...named(text)])}
    />
  );
  return (
    <ChipsField label={field.label} finder={picker}>
      {chosen.map((word) => (
        <Chip
          key={word}
          name={choices.find((one) => one.value === word)?.label ?? word}
          onRemove={() => set([...chosen, ...pending].filter((one) => one !== word))}
        />
      ))}
    </ChipsField>
  );
}
