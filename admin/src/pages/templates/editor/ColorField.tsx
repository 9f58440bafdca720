import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { contrastOf } from '../../../../../src/lib/colors/colors.ts';
import { t } from '../../../i18n/i18n.ts';
import css from './editor.module.css';

interface ColorFieldProps {
  label: string;
  /** If absent, the style's. */
  value: string | undefined;
  fallback: string;
  onChange(value: string | undefined): void;
}

/** A color as #rrggbb, typed or chosen. */
export function ColorField({ label, value, fallback, onChange }: ColorFieldProps) {
  const shown = value ?? fallback;
  const [typed, setTyped] = useState(shown);
  useEffect(() => setTyped(shown), [shown]);
  const valid = /^#[0-9a-f]{6}$/i.test(typed);
  return (
    <div className={css.color}>
      <input
        type="color"
        aria-label={t('editor.color.choose', { name: label })}
        value={shown}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <TextInput
        className="grow"
        label={label}
        size="xs"
        value={typed}
        error={valid ? undefined : t('editor.color.wrong')}
        onChange={(event) => {
          const text = event.currentTarget.value.trim();
          setTyped(text);
          if (/^#[0-9a-f]{6}$/i.test(text)) onChange(text);
        }}
      />
      {value === undefined ? null : (
        <Button size="compact-sm" variant="default" onClick={() => onChange(undefined)}>
          {t('editor.color.reset')}
        </Button>
      )}
    </div>
  );
}

/** The contrast that text of ordinary size needs. */
const ENOUGH = 4.5;

/** Warns if a text is hard to read. */
export function Contrast({ what, text, behind }: { what: string; text: string; behind: string }) {
  const ratio = contrastOf(text, behind);
  if (ratio >= ENOUGH) return null;
  return (
    <p role="status" className={css.contrast}>
      {t('editor.contrast', { what, ratio: ratio.toFixed(1) })}
    </p>
  );
}
