import { Textarea } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import type { InputProps, Value } from '../../ui/form/values.ts';
import css from './custom-fields.module.css';

/** The texts that a form has as JSON. */
export function textsIn(value: Value): string[] {
  return value === '' ? [] : (JSON.parse(String(value)) as string[]);
}

/** Texts of several lines, each in an input of its own, and an empty input for one more; the value is the texts as JSON. */
export function LongTextsInput({ field, value, error, onChange }: InputProps) {
  const texts = textsIn(value);
  const set = (i: number, text: string): void => {
    const next = [...texts];
    next[i] = text;
    while (next.at(-1) === '') next.pop();
    onChange(next.length === 0 ? '' : JSON.stringify(next));
  };
  return (
    <div className={css.texts}>
      {[...texts, ''].map((text, i) => (
        <Textarea
          // biome-ignore lint/suspicious/noArrayIndexKey: a text keeps its place while it is typed
          key={i}
          name={i === 0 ? field.name : `${field.name}.${i}`}
          {...(i === 0
            ? {
                label: field.label,
                description: t('custom_field.one_per_input'),
                required: field.required ?? false,
                error,
              }
            : { 'aria-label': `${field.label} ${i + 1}` })}
          rows={3}
          value={text}
          onChange={(event) => set(i, event.currentTarget.value)}
        />
      ))}
    </div>
  );
}
