import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useShop } from '../../app/session.tsx';
import type { InputProps } from '../form/values.ts';
import { type Choice, Pick } from './Pick.tsx';

const TYPING_MS = 200;

interface RecordInputProps extends InputProps {
  /** Part of the queries' keys. */
  kind: string;
  find(search: string, signal: AbortSignal): Promise<Choice[]>;
  /** The name of the chosen record. */
  nameOf(id: number, signal: AbortSignal): Promise<string>;
}

/** A form's field for a record, found by what is typed; the value is its id. */
export function RecordInput({ field, value, error, onChange, kind, find, nameOf }: RecordInputProps) {
  const { company } = useShop();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const id = Number(value);
  const found = useQuery({
    queryKey: [company.id, kind, 'picked', search],
    enabled: search !== '',
    queryFn: ({ signal }) => find(search, signal),
  });
  const name = useQuery({
    queryKey: [company.id, kind, id, 'picked-name'],
    enabled: id > 0,
    retry: false,
    queryFn: ({ signal }) => nameOf(id, signal),
  });
  // Enter chooses the first: what was found by an earlier text is not offered.
  const isCurrent = search !== '' && search === text.trim();
  return (
    <Pick
      label={field.label}
      name={field.name}
      required={field.required}
      error={error}
      value={String(value)}
      onChange={onChange}
      found
      valueLabel={name.data ?? String(value)}
      choices={isCurrent ? (found.data ?? []) : []}
      onText={setText}
    />
  );
}
