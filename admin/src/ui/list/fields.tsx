import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import type { SearchValues } from '../../app/nav.ts';
import { t } from '../../i18n/i18n.ts';
import { useNarrowed } from '../form/LongChoice.tsx';
import { Icon } from '../Icon.tsx';
import css from './ListPage.module.css';
import type { Filter } from './types.ts';

const TYPING_MS = 200;

/** The search of a list; passes on what was typed after a pause. */
export function SearchField(props: {
  name: string;
  value: string;
  placeholder: string;
  onChange: (part: SearchValues) => void;
}) {
  const [text, setText] = useState(props.value);
  const [passed, setPassed] = useState(props.value);
  // Changed from outside: by Back, a saved view, or the button next to it.
  const [before, setBefore] = useState(props.value);
  if (before !== props.value) {
    setBefore(props.value);
    if (props.value !== passed) setText(props.value);
    setPassed(props.value);
  }
  const pass = useDebouncedCallback((value: string) => {
    setPassed(value);
    props.onChange({ [props.name]: value });
  }, TYPING_MS);
  return (
    <TextInput
      className={css.search}
      size="xs"
      type="search"
      data-list-search
      aria-label={props.placeholder}
      placeholder={props.placeholder}
      leftSection={<Icon name="search" size={15} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        pass(event.currentTarget.value.trim());
      }}
    />
  );
}

/** One filter of a list. */
export function FilterField({
  filter,
  value,
  onChange,
}: {
  filter: Filter;
  value: string;
  onChange: (part: SearchValues) => void;
}) {
  const { key, title, type } = filter;
  const yesNo = [
    { value: 'true', label: t('choice.yes') },
    { value: 'false', label: t('choice.no') },
  ];
  const choices = filter.choices ?? (type === 'yes_no' ? yesNo : []);
  const [shown, search] = useNarrowed(choices, new Set([value]), title);
  if (type === 'record') {
    if (value === '') return null;
    return (
      <Button
        size="xs"
        variant="default"
        title={t('list.filter.remove')}
        rightSection={<Icon name="x" size={13} />}
        onClick={() => onChange({ [key]: '' })}
      >
        {title}: {filter.record?.(Number(value)) ?? value}
      </Button>
    );
  }
  if (type === 'day' || type === 'text') {
    return (
      <div className={css.filter}>
        <span className="dim" aria-hidden="true">
          {title}
        </span>
        <TextInput
          size="xs"
          aria-label={title}
          type={type === 'day' ? 'date' : 'text'}
          value={value}
          onChange={(event) => onChange({ [key]: event.currentTarget.value })}
        />
      </div>
    );
  }
  return (
    <div className={css.choice}>
      {search}
      <NativeSelect
        size="xs"
        aria-label={title}
        data-set={value === '' ? undefined : true}
        value={value}
        data={[
          { value: '', label: filter.none ?? t('list.any', { title }) },
          ...shown.map((one) => ({ ...one, label: filter.none === undefined ? `${title}: ${one.label}` : one.label })),
        ]}
        onChange={(event) => onChange({ [key]: event.currentTarget.value })}
      />
    </div>
  );
}
