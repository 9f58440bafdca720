import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { onOneLine } from './free-key.ts';

/** The name of a branch: applied on leaving the field, so that connections follow a finished name. */
export function KeyInput({ label, value, onChange }: { label: string; value: string; onChange(key: string): void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const done = (): void => {
    const key = onOneLine(text);
    if (key === '' || key === value) setText(value);
    else onChange(key);
  };
  return (
    <TextInput
      aria-label={label}
      value={text}
      maxLength={64}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done();
      }}
    />
  );
}
