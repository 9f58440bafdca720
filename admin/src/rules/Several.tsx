import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../i18n/i18n.ts';
import { CategoryPick } from '../pages/categories/CategoryPick.tsx';
import { useCategoryNames } from '../pages/categories/queries.ts';
import css from './rules.module.css';

export interface Option {
  value: string;
  label: string;
}

interface SeveralProps {
  values: string[];
  /** The possible values; null for free text. */
  options: Option[] | null;
  error: string | undefined;
  /** They are categories. */
  categories?: boolean;
  onAdd(text: string): void;
  onRemove(index: number): void;
}

/** Several values: the present ones, and a field that adds one. */
export function Several({ values, options, error, categories = false, onAdd, onRemove }: SeveralProps) {
  const [text, setText] = useState('');
  const labelOf = (value: string) => options?.find((option) => option.value === value)?.label ?? value;
  const add = (): void => {
    if (text.trim() !== '') onAdd(text.trim());
    setText('');
  };
  return (
    <div className={css.several}>
      {counted(values).map(({ value, key }, i) => (
        <span key={key} className={css.chip}>
          <span className="break">{categories ? <CategoryText slug={value} /> : labelOf(value)}</span>
          <CloseButton
            size="xs"
            aria-label={t('rule.value.remove', { value: labelOf(value) })}
            onClick={() => onRemove(i)}
          />
        </span>
      ))}
      {categories ? (
        <div className={css.value}>
          <CategoryPick
            hidden
            size="xs"
            label={t('rule.value.add')}
            placeholder={t('rule.value.add')}
            error={error}
            value=""
            onChange={onAdd}
            onAdd={onAdd}
            addsOnLeave
          />
        </div>
      ) : options === null ? (
        <TextInput
          size="xs"
          className={css.value}
          aria-label={t('rule.value.add')}
          placeholder={t('rule.value.add')}
          title={t('rule.value.add.help')}
          autoComplete="off"
          error={error}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Enter would submit the form around it.
            event.preventDefault();
            add();
          }}
        />
      ) : (
        <NativeSelect
          size="xs"
          className={css.value}
          aria-label={t('rule.value.add')}
          error={error}
          value=""
          data={[
            { value: '', label: t('rule.value.choose') },
            ...options.filter(({ value }) => !values.includes(value)),
          ]}
          onChange={(event) => onAdd(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

/** The same value may occur twice. */
function counted(values: string[]): { value: string; key: string }[] {
  return values.map((value, i) => ({
    value,
    key: `${value} ${values.slice(0, i).filter((one) => one === value).length}`,
  }));
}

function CategoryText({ slug }: { slug: string }) {
  return useCategoryNames().get(slug) ?? slug;
}
