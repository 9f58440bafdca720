import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import type { Product } from './queries.ts';

/** The price of a product as a text; of a parent whose prices differ, the lowest alone ('from') or with the highest ('range'). */
export function usePriceText(): (product: Product, how: 'from' | 'range') => string {
  const { money } = useFormat();
  return ({ price, price_max }, how) => {
    if (price_max === null || price_max === price) return money(price);
    const low = money(price);
    return how === 'from' ? t('product.price_from', { low }) : `${low} – ${money(price_max)}`;
  };
}
