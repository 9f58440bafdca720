import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import { LOW_STOCK } from './queries.ts';
import css from './Stock.module.css';

/** A quantity, with a word if it is low or zero. */
export function Stock({ quantity }: { quantity: number }) {
  const format = useFormat();
  if (quantity >= LOW_STOCK) return <>{format.number(quantity)}</>;
  return (
    <span className={css.low} data-none={quantity === 0 || undefined}>
      {quantity === 0 ? t('product.none_left') : t('product.few_left', { n: format.number(quantity) })}
    </span>
  );
}
