import type { Api, LooseSurface } from './api.ts';

interface Movement {
  kind: string;
  location_id: number;
  delta: number;
  created_at: string;
}

export interface SoldOutProduct {
  product_id: number;
  name: string;
  sku: string | null;
  /** When the last piece was sold, newest first: a product may be restocked and sell out again. */
  sold_out_at: string[];
  stock_now: number;
}

/** Returns when orders or adjustments brought the stock to zero in a period; walks movements newest first, from the present stock. */
export function soldOutMoments(
  stockNow: number,
  movements: readonly Pick<Movement, 'kind' | 'delta' | 'created_at'>[],
  from: Date,
  to: Date,
): string[] {
  let after = stockNow;
  const moments: string[] = [];
  for (const { kind, delta, created_at } of movements) {
    const before = after - delta;
    const at = new Date(created_at);
    if (kind !== 'initial' && after <= 0 && before > 0 && at >= from && at < to) moments.push(created_at);
    after = before;
  }
  return moments;
}

/** Returns the locations whose stock `stock_qty` counts. */
async function onlineLocations(commerce: LooseSurface): Promise<ReadonlySet<number>> {
  const { items } = await commerce.page('/locations', { query: { per_page: PER_PAGE } });
  return new Set(items.filter(({ online }) => online === true).map(({ id }) => Number(id)));
}

const PER_PAGE = 100;
/** Pages per product: older movements than these are not looked up by hand. */
const MAX_MOVEMENT_PAGES = 10;
const AT_ONCE = 4;

/**
 * Returns the products and variants that sold out in a period, by their stock movements. Checks those out of stock first, then the
 * others, at most `limit` in all; `complete` says whether that was all of them, and whether it is known which stock counts: a key that may not
 * read locations cannot tell where there are several.
 */
export async function soldOutProducts(
  { commerce }: Api,
  { from, to, limit, readsLocations }: { from: Date; to: Date; limit: number; readsLocations: boolean },
): Promise<{ products: SoldOutProduct[]; checked: number; complete: boolean }> {
  const products: SoldOutProduct[] = [];
  let checked = 0;
  let complete = true;

  const online = readsLocations ? await onlineLocations(commerce) : null;

  /** Leaves out movements of stock that `stock_qty` does not count. */
  function counted(movements: Movement[]): Movement[] {
    if (online !== null) return movements.filter(({ location_id }) => online.has(location_id));
    if (new Set(movements.map(({ location_id }) => location_id)).size > 1) complete = false;
    return movements;
  }

  async function movementsOf(id: unknown): Promise<Movement[]> {
    const movements: Movement[] = [];
    for (let page = 1; ; page++) {
      const query = { page, per_page: PER_PAGE };
      const { items, pagination } = await commerce.page('/products/{id}/stock-movements', { path: { id }, query });
      movements.push(...(items as unknown as Movement[]));
      const oldest = movements.at(-1);
      if (oldest === undefined || new Date(oldest.created_at) < from || page >= pagination.total_pages)
        return counted(movements);
      if (page === MAX_MOVEMENT_PAGES) {
        complete = false;
        return counted(movements);
      }
    }
  }

  async function check(product: Record<string, unknown>): Promise<void> {
    const stock = Number(product.stock_qty);
    const moments = soldOutMoments(stock, await movementsOf(product.id), from, to);
    if (moments.length === 0) return;
    const { id, name, sku } = product as { id: number; name: string; sku: string | null };
    products.push({ product_id: id, name, sku, sold_out_at: moments, stock_now: stock });
  }

  const listed = { include: 'variants', per_page: PER_PAGE };
  for (const in_stock of [false, true]) {
    for (let page = 1; ; page++) {
      const { items, pagination } = await commerce.page('/products', { query: { ...listed, in_stock, page } });
      // The variants of a parent are listed, too, and have the movements.
      const sold = items.filter(({ has_variants }) => has_variants !== true);
      const taken = sold.slice(0, limit - checked);
      for (let i = 0; i < taken.length; i += AT_ONCE) await Promise.all(taken.slice(i, i + AT_ONCE).map(check));
      checked += taken.length;
      if (taken.length < sold.length || (checked >= limit && page < pagination.total_pages)) complete = false;
      if (page >= pagination.total_pages || checked >= limit) break;
    }
  }
  products.sort((a, b) => (a.sold_out_at[0]! < b.sold_out_at[0]! ? 1 : -1));
  return { products, checked, complete };
}
