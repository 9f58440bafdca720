import { Button, CloseButton, TextInput } from '@mantine/core';
import { useId } from 'react';
import { t } from '../../../i18n/i18n.ts';
import type { InputProps } from '../../../ui/form/values.ts';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import css from './OptionsField.module.css';
import { countOf, MOST_OPTIONS, optionsIn, optionsOf, type TypedOption } from './options.ts';

/** The options of a new product, such as size and color, with their values. */
export function OptionsField({ field, value, error, onChange }: InputProps) {
  const format = useFormat();
  const id = useId();
  const options = optionsIn(value);
  const set = (next: TypedOption[]): void => onChange(JSON.stringify(next));
  const change = (i: number, part: Partial<TypedOption>): void => set(options.with(i, { ...options[i]!, ...part }));
  const n = countOf(optionsOf(value));
  return (
    <fieldset className={css.options} aria-describedby={error === undefined ? undefined : id}>
      <legend>{field.label}</legend>
      {options.map((option, i) => (
        // An option has no identity until it is created.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={i} className={css.option}>
          <TextInput
            label={t('variants.option', { n: i + 1 })}
            autoComplete="off"
            maxLength={60}
            value={option.name}
            onChange={(event) => change(i, { name: event.currentTarget.value })}
          />
          <TextInput
            label={t('variants.values', { n: i + 1 })}
            autoComplete="off"
            value={option.values}
            onChange={(event) => change(i, { values: event.currentTarget.value })}
          />
          <CloseButton
            aria-label={t('variants.option.remove', { n: i + 1 })}
            disabled={options.length === 1}
            onClick={() => set(options.toSpliced(i, 1))}
          />
        </div>
      ))}
      {error === undefined ? null : (
        <p id={id} role="alert" className={css.error}>
          {error}
        </p>
      )}
      <div className="row">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={options.length >= MOST_OPTIONS}
          onClick={() => set([...options, { name: '', values: '' }])}
        >
          {t('variants.option.add')}
        </Button>
        <span className="dim" role="status">
          {t('variants.total', { n, shown: format.number(n) })}
        </span>
      </div>
    </fieldset>
  );
}
