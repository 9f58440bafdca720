import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../i18n/i18n.ts';
import css from './Chips.module.css';

/** A field that has several records: what finds them, and a chip for each. */
export function ChipsField({ label, finder, children }: { label: string; finder: ReactNode; children: ReactNode[] }) {
  return (
    <fieldset className={css.field}>
      <legend className="visually-hidden">{label}</legend>
      {finder}
      {children.length === 0 ? null : <ul className={css.chips}>{children}</ul>}
    </fieldset>
  );
}

/** A record that can be removed. */
export function Chip({ name, onRemove }: { name: string; onRemove(): void }) {
  return (
    <li>
      <span className="break">{name}</span>
      <CloseButton size="sm" aria-label={t('chip.remove', { name })} onClick={onRemove} />
    </li>
  );
}
