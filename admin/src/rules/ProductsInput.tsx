import { CloseButton } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { ProductFinder } from '../pages/products/ProductFinder.tsx';
import { useProductNames } from './offer.ts';
import css from './rules.module.css';
import './texts.ts';

interface ProductsInputProps {
  label?: string;
  ids: number[];
  error: string | undefined;
  onChange(ids: number[]): void;
}

/** Products and variants: the chosen ones, and a search that adds one. */
export function ProductsInput({ label = t('rule.product'), ids, error, onChange }: ProductsInputProps) {
  const names = useProductNames(ids);
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
      <ProductFinder
        label={label}
        error={error}
        among="all"
        onChoose={({ id }) => onChange([...ids.filter((one) => one !== id), id])}
      />
    </div>
  );
}
