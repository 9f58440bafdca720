import { fromMinor } from '../money.ts';
import type { StockedProduct } from '../orders/placing/snapshot.ts';
import { taxLineRecord } from '../orders/record.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { paymentRecord } from '../payments/record.ts';
import type { Shop } from '../shop.ts';
import type { Cart, CartRecord } from './contract.ts';
import { knownCustom } from './fields.ts';
import type { CartRow } from './row.ts';
import type { CartTotals } from './totals.ts';

/** What a cart shows beside its row. */
export interface ShownCart {
  row: CartRow;
  /** Null for a cart that was reserved or placed: it shows its frozen price. */
  totals: CartTotals | null;
  products: ReadonlyMap<number, StockedProduct>;
  images: ReadonlyMap<number, string>;
  orderId: number | null;
  /** While it is paid. */
  payment: PaymentRow | null;
  reservedUntil: Date | null;
}

const NO_AMOUNTS = { subtotal: 0, discount: 0, tax: 0 };

/** A cart as the API returns it: amounts in major units. */
export function cartRecord(shown: ShownCart, shop: Shop): CartRecord {
  const { row, totals, orderId, payment, reservedUntil } = shown;
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  const priced = row.frozen ?? totals!.priced;
  const { frozen, last_line_id, checkout_started_at, created_at, updated_at, lines, ...fields } = row;
  return {
    ...fields,
    custom: knownCustom(row.custom, shop),
    lines: lines.map((line): Cart['lines'][number] => {
      const { product, amounts } = lineOf(shown, line.product_id);
      const override = line.price_override;
      return {
        id: line.id,
        product_id: line.product_id,
        parent_id: product.parent_id,
        name: product.name,
        title: product.title,
        sku: product.sku,
        options: [...product.options],
        image: shown.images.get(line.product_id) ?? null,
        qty: line.qty,
        price: money(override ?? product.price),
        added_price: money(line.added_price),
        price_override: override === null ? null : money(override),
        override_reason: line.override_reason,
        subtotal: money(amounts.subtotal),
        discount: money(amounts.discount),
        tax: money(amounts.tax),
      };
    }),
    currency: shop.currency,
    subtotal: money(priced.subtotal),
    discount: money(priced.discount),
    promo_discount: money(priced.promo_discount),
    points_discount: money(priced.points_discount),
    points_redeemed: priced.points_redeemed,
    shipping: money(priced.shipping),
    shipping_method: priced.shipping_method,
    shipping_methods: (totals?.methods ?? []).map(({ cost, ...method }) => ({ ...method, cost: money(cost) })),
    tax: money(priced.tax),
    tax_lines: priced.tax_lines.map((line) => taxLineRecord(line, shop)),
    total: money(priced.total),
    estimated: totals?.estimated ?? false,
    problems: totals?.problems ?? [],
    payment: payment && paymentRecord(payment, shop),
    reserved_until: reservedUntil?.toISOString() ?? null,
    order_id: orderId,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** The product of a line as it was ordered, or as it is now, and the line's amounts. */
function lineOf({ row, totals, products }: ShownCart, productId: number) {
  const ordered = row.frozen?.lines.find((line) => line.product_id === productId);
  if (ordered !== undefined) return { product: ordered, amounts: ordered };
  const amounts = totals?.lines.get(productId) ?? NO_AMOUNTS;
  const product = products.get(productId);
  if (product === undefined) {
    return { product: { parent_id: null, name: '', title: null, sku: null, options: [], price: 0 }, amounts };
  }
  const { variant_of: parent_id, name, title, sku, options, price } = product;
  return { product: { parent_id, name, title, sku, options: parent_id === null ? [] : options, price }, amounts };
}
