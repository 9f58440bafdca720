import { CloseButton } from '@mantine/core';
import { rowsOf } from '../api/client.ts';
import { useShop } from '../app/session.tsx';
import { t } from '../i18n/i18n.ts';
import { Finder } from '../pages/orders/new/Finder.tsx';
import { useProductNames } from './offer.ts';
import css from './rules.module.css';
import './texts.ts';

const FOUND = 6;

interface ProductsInputProps {
  label?: string;
  ids: number[];
  error: string | undefined;
  onChange(ids: number[]): void;
}

/** Products and variants: the chosen ones, and a search that adds one. */
export function ProductsInput({ label = t('rule.product'), ids, error, onChange }: ProductsInputProps) {
  const { api } = useShop();
  const names = useProductNames(ids);
  const find = async (search: string, signal: AbortSignal) => {
    const query = { search, include: 'variants', per_page: FOUND } as const;
    const { rows } = await rowsOf(api.GET('/products', { params: { query }, signal }));
    return rows.map(({ id, name, slug }) => ({ id, title: name, text: slug }));
  };
  const nameOf = (id: number): string => names.get(id) ?? `#${id}`;
  return (
    <div className={css.several}>
      {ids.map((id) => (
        <span key={id} className={css.chip}>
          <span className="break">{nameOf(id)}</span>
          <CloseButton
            size="xs"
            aria-label={t('rule.value.remove', { value: nameOf(id) })}
            onClick={() => onChange(ids.filter((one) => one !== id))}
          />
        </span>
      ))}
      <Finder
        name="products"
        label={label}
        error={error}
        find={find}
        onChoose={({ id }) => onChange([...ids.filter((one) => one !== id), id])}
      />
    </div>
  );
}
