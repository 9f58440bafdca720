import { Checkbox, NativeSelect, NumberInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import { CategoryPick } from '../../categories/CategoryPick.tsx';
import type { Block } from './document.ts';
import { ProductsFields } from './ProductFields.tsx';

const SOURCES = ['chosen', 'best_sellers', 'bought_together', 'recently_viewed'];
const MOST = 12;
const DEFAULT_COUNT = 6;

interface ProductGridFieldsProps {
  block: Block;
  onChange(what: string, patch: Partial<Block>): void;
}

/** The source of a grid's products, and their number. */
export function ProductGridFields({ block, onChange }: ProductGridFieldsProps) {
  const source = block.source ?? 'chosen';
  const chosen = source === 'chosen';
  // A grid of one or four per row, created through the API, keeps that.
  const perRow = String(block.per_row ?? 3);
  return (
    <>
      <NativeSelect
        label={t('editor.source')}
        description={chosen ? undefined : tOf('editor.source.help', source)}
        value={source}
        data={SOURCES.map((value) => ({ value, label: tOf('editor.source', value) }))}
        onChange={(event) => onChange('', { source: event.currentTarget.value })}
      />
      {chosen ? (
        <ProductsFields products={block.products ?? []} onChange={(products) => onChange('', { products })} />
      ) : (
        <>
          {source === 'best_sellers' ? <CategoryField block={block} onChange={onChange} /> : null}
          <NumberInput
            label={t('editor.count')}
            min={1}
            max={MOST}
            allowDecimal={false}
            clampBehavior="strict"
            value={block.count ?? DEFAULT_COUNT}
            onChange={(value) =>
              typeof value === 'number' && onChange('count', { count: Math.round(Math.min(MOST, Math.max(1, value))) })
            }
          />
        </>
      )}
      <NativeSelect
        label={t('editor.per_row')}
        value={perRow}
        data={[...new Set(['2', '3', perRow])].sort()}
        onChange={(event) => onChange('', { per_row: Number(event.currentTarget.value) })}
      />
      {chosen || (source === 'best_sellers' && !block.category) ? null : (
        <Checkbox
          label={t('editor.fallback')}
          description={t('editor.fallback.help')}
          checked={block.fallback === 'best_sellers'}
          onChange={(event) => onChange('', { fallback: event.currentTarget.checked ? 'best_sellers' : 'none' })}
        />
      )}
    </>
  );
}

function CategoryField({ block, onChange }: ProductGridFieldsProps) {
  const slug = block.category ?? '';
  return (
    <CategoryPick
      label={t('editor.category')}
      description={t('editor.category.help')}
      value={slug}
      onChange={(category) => onChange('category', { category: slugOf(category) })}
    />
  );
}

/** Restricts input to what a slug may contain. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 240);
}
