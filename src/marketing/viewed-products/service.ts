import type { Queryable } from '../../db/pool.ts';
import { looseNumber, looseText } from '../../lib/loose-values.ts';
import { findViews, type ViewRow } from './queries.ts';

/** A product as shown in messages. */
export type ShownProduct = {
  id: string;
  name: string | null;
  /** In the company's currency. */
  price: number | null;
  /** Includes the currency; null if the catalogue does not have the product. */
  formatted_price: string | null;
  image: string | null;
  url: string | null;
};

/** The current data of a product in the catalogue. */
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

/** The products that contacts viewed last; contacts without any are absent. Two statements. */
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

/** Prefers the catalogue's name, price and picture, and the event's address. Null for an archived product. */
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

/** Events may contain anything: null for an address that is not a web page. */
function webAddress(value: unknown): string | null {
  const text = looseText(value);
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
}
