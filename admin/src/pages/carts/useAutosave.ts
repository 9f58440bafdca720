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
  const queue = useRef<Promise<boolean>>(Promise.resolve(true));
  const flush = useRef((): Promise<boolean> => {
    queue.current = queue.current.then(async () => {
      const { changed, save } = latest.current;
      return !changed || (await save()) !== null;
    });
    return queue.current;
  });
  const [settled] = useDebouncedValue(JSON.stringify(form.values), PAUSE_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: that the typing rests is the occasion
  useEffect(() => void flush.current(), [settled]);
  return flush.current;
}
