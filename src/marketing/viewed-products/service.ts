import type { Queryable } from '../../db/pool.ts';
import { looseNumber, looseText } from '../../lib/loose-values.ts';
import { findViews, type ViewRow } from './queries.ts';

/** A product as messages show it. */
export type ShownProduct = {
  id: string;
  name: string | null;
  /** In the company's currency. */
  price: number | null;
  /** With the currency; null where the catalogue does not have the product. */
  formatted_price: string | null;
  image: string | null;
  url: string | null;
};

/** What the catalogue knows of a product now. */
export interface CatalogueProduct {
  name: string;
  price: number;
  formatted_price: string;
  image: string | null;
  url: string | null;
  archived: boolean;
}

/** Products of the catalogue by their ids. */
export type FindProducts = (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, CatalogueProduct>>;

const MOST_SHOWN = 6;
const CATALOGUE_ID = /^[1-9]\d{0,14}$/;

/** The products that contacts viewed last; absent where there are none. Two statements. */
export async function loadViewedProducts(
  findProducts: FindProducts,
  db: Queryable,
  companyId: number,
  { contactIds, now }: { contactIds: number[]; now: Date },
): Promise<Map<number, ShownProduct[]>> {
  const views = await findViews(db, companyId, contactIds, now);
  const ids = new Set(views.flatMap(({ product_id: id }) => (CATALOGUE_ID.test(id) ? [Number(id)] : [])));
  const products = ids.size === 0 ? new Map<number, never>() : await findProducts(db, companyId, [...ids]);
  const shown = new Map<number, ShownProduct[]>();
  for (const view of views) {
    const product = shownOf(
      view,
      CATALOGUE_ID.test(view.product_id) ? products.get(Number(view.product_id)) : undefined,
    );
    if (product === null) continue;
    const others = shown.get(view.contact_id);
    if (others === undefined) shown.set(view.contact_id, [product]);
    else if (others.length < MOST_SHOWN) others.push(product);
  }
  return shown;
}

/** Name, price and picture are those of the catalogue where it has the product, the address that of the event; null for one that is archived. */
function shownOf(view: ViewRow, product: CatalogueProduct | undefined): ShownProduct | null {
  if (product?.archived === true) return null;
  return {
    id: view.product_id.slice(0, 200),
    name: product?.name ?? looseText(view.name),
    price: product?.price ?? looseNumber(view.price),
    formatted_price: product?.formatted_price ?? null,
    image: product?.image ?? webAddress(view.image),
    url: webAddress(view.url) ?? product?.url ?? null,
  };
}

/** Events may hold anything: an address that is no page of the web is none. */
function webAddress(value: unknown): string | null {
  const text = looseText(value);
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
}
