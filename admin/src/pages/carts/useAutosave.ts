import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { RecordFormState } from '../../ui/form/useRecordForm.ts';

const PAUSE_MS = 400;

/**
 * Saves a form whenever what was typed rests for a moment, one save after the other. Returns a function that saves at once; it tells
 * whether everything is saved.
 */
export function useAutosave(form: RecordFormState): () => Promise<boolean> {
  const latest = useRef(form);
  latest.current = form;
  /** What was saved last, until the form is rendered without changes: a save that waited for that one would repeat it. */
  const saved = useRef<string | null>(null);
  const values = JSON.stringify(form.values);
  if (!form.changed) saved.current = null;
  const queue = useRef<Promise<boolean>>(Promise.resolve(true));
  const flush = useRef((): Promise<boolean> => {
    queue.current = queue.current.then(async () => {
      const { changed, save } = latest.current;
      const sent = JSON.stringify(latest.current.values);
      if (!changed || sent === saved.current) return true;
      if ((await save()) === null) return false;
      saved.current = sent;
      return true;
    });
    return queue.current;
  });
  const [settled] = useDebouncedValue(values, PAUSE_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: that the typing rests is the occasion
  useEffect(() => void flush.current(), [settled]);
  return flush.current;
}
