import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';
import css from './Finder.module.css';

const TYPING_MS = 200;

export interface Found {
  id: number | string;
  title: string;
  text: string;
}

interface FinderProps<Row extends Found> {
  /** Part of the query's key. */
  name: string;
  label: string;
  help?: string | undefined;
  error?: string | undefined;
  find(search: string, signal: AbortSignal): Promise<Row[]>;
  onChoose(row: Row): void;
}

/** Finds records by what is typed; Enter chooses the first, and each is a button. */
export function Finder<Row extends Found>({ name, label, help, error, find, onChoose }: FinderProps<Row>) {
  const { company } = useShop();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data, isPlaceholderData } = useQuery({
    queryKey: [company.id, name, 'finder', search],
    enabled: search !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => find(search, signal),
  });
  const rows = text.trim() === '' ? undefined : data;
  const choose = (row: Row): void => {
    setText('');
    onChoose(row);
  };
  return (
    <div>
      <TextInput
        type="search"
        label={label}
        description={help}
        error={error}
        value={text}
        autoComplete="off"
        leftSection={<Icon name="search" size={15} />}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          const [first] = rows ?? [];
          if (first !== undefined && search === text.trim() && !isPlaceholderData) choose(first);
        }}
      />
      {rows === undefined ? null : rows.length === 0 ? (
        <p className="dim" role="status">
          {t('list.none.title')}
        </p>
      ) : (
        <ul className={css.found}>
          {rows.map((row) => (
            <li key={row.id}>
              <button type="button" onClick={() => choose(row)}>
                <span className="break">{row.title}</span>
                <span className="dim break">{row.text}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
