import '../products/texts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Chip, ChipsField } from '../../ui/finder/Chips.tsx';
import { Finder, type Found } from '../../ui/finder/Finder.tsx';
import { type InputProps, wordsOf } from '../../ui/form/values.ts';
import { say, sayError } from '../../ui/messages.tsx';
import { useCategoryName } from './CategoryName.tsx';
import { newCategory } from './new-category.ts';

const SHOWN = 6;
/** Enough for an exact match to be among them. */
const ASKED = 100;

interface FoundCategory extends Found {
  /** Null for one that choosing creates. */
  slug: string | null;
  name: string;
}

/** Categories found by their names, or created; the value is their slugs with commas between. */
export function CategoriesField({ field, value, error, onChange }: InputProps) {
  const { api, can, company } = useShop();
  const client = useQueryClient();
  const slugs = wordsOf(String(value));
  const latest = useRef(slugs);
  latest.current = slugs;
  const set = (next: string[]): void => onChange(next.join(', '));
  const find = async (search: string, signal: AbortSignal): Promise<FoundCategory[]> => {
    const query = { search, per_page: ASKED };
    const { rows } = await rowsOf(api.GET('/categories', { params: { query }, signal }));
    const found = rows.map(({ slug, name }) => ({ id: slug, title: name, text: slug, slug, name }));
    const typed = search.toLowerCase();
    const [exact = [], others = []] = [true, false].map((is) =>
      found.filter((one) => [one.name.toLowerCase(), one.slug].includes(typed) === is),
    );
    if (exact.length > 0 || !can('products:write')) return [...exact, ...others].slice(0, SHOWN);
    return [
      { id: ' ', title: t('category.add', { name: search }), text: '', slug: null, name: search },
      ...others.slice(0, SHOWN),
    ];
  };
  const create = async (name: string): Promise<string> => {
    const chosen = await newCategory(
      () => dataOf(api.POST('/categories', { body: { name } })),
      (slug) => dataOf(api.GET('/categories/{slug}', { params: { path: { slug } } })),
    );
    if (!chosen.isNew) say(t('category.exists', { name: chosen.name }));
    await client.invalidateQueries({ queryKey: [company.id, 'categories'] });
    return chosen.slug;
  };
  const choose = async ({ slug, name }: FoundCategory): Promise<void> => {
    try {
      const chosen = slug ?? (await create(name));
      if (!latest.current.includes(chosen)) set([...latest.current, chosen]);
    } catch (failure) {
      sayError(failure);
    }
  };
  const finder = (
    <Finder
      name="categories"
      label={field.label}
      help={field.help}
      error={error}
      find={find}
      onChoose={(found) => void choose(found)}
    />
  );
  return (
    <ChipsField label={field.label} finder={finder}>
      {slugs.map((slug) => (
        <CategoryChip key={slug} slug={slug} onRemove={() => set(slugs.filter((one) => one !== slug))} />
      ))}
    </ChipsField>
  );
}

function CategoryChip({ slug, onRemove }: { slug: string; onRemove(): void }) {
  return <Chip name={useCategoryName(slug)} onRemove={onRemove} />;
}
