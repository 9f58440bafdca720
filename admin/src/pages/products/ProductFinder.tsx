import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Finder } from '../../ui/finder/Finder.tsx';
import { useFormat } from '../../ui/format.tsx';
import type { Product } from './queries.ts';

const SHOWN = 6;
/** Enough for some that can be sold to be among them. */
const ASKED_FOR_SOLD = 25;

interface ProductFinderProps {
  label: string;
  help?: string | undefined;
  error?: string | undefined;
  /** `sold`: products without variants, and variants, as only these can be sold. `all`: variants, too. By default, variants are not found. */
  among?: 'sold' | 'all';
  onChoose(product: Product): void;
}

/** Finds a product by name, SKU or description. */
export function ProductFinder({ among, onChoose, ...shown }: ProductFinderProps) {
  const { api } = useShop();
  const format = useFormat();
  const find = async (search: string, signal: AbortSignal) => {
    const all = { search, per_page: among === 'sold' ? ASKED_FOR_SOLD : SHOWN };
    const query = among === undefined ? all : ({ ...all, include: 'variants' } as const);
    const { rows } = await rowsOf(api.GET('/products', { params: { query }, signal }));
    return rows
      .filter(({ has_variants }) => among !== 'sold' || !has_variants)
      .slice(0, SHOWN)
      .map((product) => {
        const stock = among === 'sold' ? t('order.new.stock', { n: product.stock_qty }) : null;
        const text = [product.sku, format.money(product.price), stock].filter(Boolean).join(' · ');
        return { id: product.id, title: product.name, text, product };
      });
  };
  return <Finder {...shown} name={`products-${among}`} find={find} onChoose={({ product }) => onChoose(product)} />;
}
