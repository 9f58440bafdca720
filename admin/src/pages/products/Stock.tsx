import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../../ui/format.tsx';
import type { Product } from './queries.ts';
import css from './Stock.module.css';

/** Stocks up to this deserve attention, where a product has no number of its own. */
const LOW_STOCK = 9;

/** What a parent shows while a variant can be ordered without limit. */
const UNLIMITED = 999_999;

/** The stock, with a word if it is low, zero or not tracked; of a parent, the sum over its variants. */
export function Stock({ product }: { product: Product }) {
  const format = useFormat();
  const quantity = product.stock_qty;
  if (product.track_stock === false) return <span className="dim">{t('product.untracked')}</span>;
  if (product.has_variants && quantity >= UNLIMITED) return <span className="dim">∞</span>;
  if (quantity > (product.low_stock_at ?? LOW_STOCK)) return <>{format.number(quantity)}</>;
  return (
    <span className={css.low} data-none={quantity === 0 || undefined}>
      {quantity === 0 ? t('product.none_left') : t('product.few_left', { n: format.number(quantity) })}
    </span>
  );
}

/** The same in a list, with the number of variants that have it. */
export function ListedStock({ product }: { product: Product }) {
  if (!product.has_variants) return <Stock product={product} />;
  return (
    <>
      <Stock product={product} />
      <br />
      <span className="dim">{t('product.in_variants', { n: product.variant_count })}</span>
    </>
  );
}
