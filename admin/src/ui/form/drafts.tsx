import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n/i18n.ts';
import css from '../RecordForm.module.css';

/** The key of a draft in this tab. */
export const draftKey = (company: { id: string | number }, name: string): string => `draft-${company.id}-${name}`;

/** Returns what was typed here before a reload, a new sign-in or a change of the language. */
export function readDraft<Typed>(key: string): Typed | null {
  const kept = sessionStorage.getItem(key);
  return kept === null ? null : (JSON.parse(kept) as Typed);
}

/** Keeps in the tab what is typed while it differs from what is saved; call the returned function when the page is left. */
export function useKeptDraft<Typed>(key: string, value: Typed, saved: Typed): () => void {
  const text = JSON.stringify(value);
  const isSaved = text === JSON.stringify(saved);
  const forgotten = useRef<string | null>(null);
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    if (isSaved || text === forgotten.current) sessionStorage.removeItem(key);
    else keep(key, text);
  }, [key, text, isSaved]);
  return () => {
    forgotten.current = latest.current;
    sessionStorage.removeItem(key);
  };
}

/** Forgets what was typed, in a form that is not shown now. */
export function forgetDraft(key: string): void {
  sessionStorage.removeItem(key);
}

function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch (error) {
    // The tab's storage is full: removes the older state, which would otherwise be restored as if it were this one.
    if (!(error instanceof DOMException)) throw error;
    sessionStorage.removeItem(key);
  }
}

/** Says that a draft was restored, and offers to discard it. */
export function Restored({ onDiscard }: { onDiscard(): void }) {
  return (
    <div className={css.restored} role="status">
      <span className="grow">{t('form.restored')}</span>
      <Button size="xs" variant="default" onClick={onDiscard}>
        {t('form.discard')}
      </Button>
    </div>
  );
}
