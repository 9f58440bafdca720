import { looseNumber, looseText } from '../../lib/loose-values.ts';

/** `cart` in messages. Amounts are in the company's currency. */
export type Cart = {
  items: CartItem[];
  total: number | null;
  /** A link to the storefront with the same products. */
  recover_url: string | null;
};

export type CartItem = {
  product_id: string | null;
  name: string | null;
  qty: number;
  price: number | null;
  url: string | null;
  image: string | null;
};

/** A message shows at most the first items up to this number. */
const MOST_ITEMS = 50;

/** The cart that an event describes, whatever its data looks like; null if it has no items. */
export function cartOf(data: Record<string, unknown>): Cart | null {
  const { items, cart_total, total, recover_url } = data;
  if (!Array.isArray(items)) return null;
  const known = items.slice(0, MOST_ITEMS).filter(isRecord).map(itemOf);
  if (known.length === 0) return null;
  return { items: known, total: looseNumber(cart_total) ?? looseNumber(total), recover_url: looseText(recover_url) };
}

function itemOf({ product_id, name, quantity, qty, price, url, image, image_url }: Record<string, unknown>): CartItem {
  return {
    product_id: looseText(product_id),
    name: looseText(name),
    qty: looseNumber(quantity) ?? looseNumber(qty) ?? 1,
    price: looseNumber(price),
    url: looseText(url),
    image: looseText(image) ?? looseText(image_url),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
