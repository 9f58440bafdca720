import { useDebouncedValue } from '@mantine/hooks';
import { useId } from 'react';
import { useSuggested } from './queries.ts';

const TYPING_MS = 200;

/** Categories as what a text field for a slug suggests: `list` is the field's attribute. */
export function useCategoryList(text: string, enabled = true) {
  const list = useId();
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data } = useSuggested(search, enabled);
  if (!enabled) return { options: null };
  const options = (
    <datalist id={list}>
      {data?.rows.map(({ slug, name }) => (
        <option key={slug} value={slug} label={name} />
      ))}
    </datalist>
  );
  return { list, options };
}
