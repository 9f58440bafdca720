import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { isEqual } from '../model/draft.ts';
import type { PartProps } from './part.ts';
import css from './steps.module.css';

/** JSON as text. It is applied as soon as it is valid. */
export function JsonInput({ label, description, error, value, onChange }: PartProps) {
  const [text, setText] = useState(() => textOf(value));
  const typed = parse(text);
  // Replaced after an undo or by another step's value, but not by the value that is being typed.
  const shown = typed === INVALID || isEqual(typed, value) ? text : textOf(value);
  return (
    <Textarea
      label={label}
      description={description}
      error={typed === INVALID && shown === text ? t('builder.json.invalid') : error}
      autosize
      minRows={2}
      maxRows={14}
      spellCheck={false}
      classNames={{ input: css.code ?? '' }}
      value={shown}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const next = parse(currentTarget.value);
        if (next !== INVALID) onChange(next);
      }}
    />
  );
}

const INVALID = Symbol('no JSON');

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return INVALID;
  }
}
