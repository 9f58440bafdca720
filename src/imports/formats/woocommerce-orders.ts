import { column, type Fields, type Format } from './format.ts';

const STATUSES = new Map(
  Object.entries({
    pending: 'pending',
    'on-hold': 'pending',
    processing: 'processing',
    shipped: 'shipped',
    completed: 'delivered',
    cancelled: 'cancelled',
    failed: 'cancelled',
    refunded: 'cancelled',
  }),
);

/** Customer/Order/Coupon Export, "Default – One row per item". Every row repeats its order. */
export const woocommerceOrders: Format = {
  name: 'woocommerce-orders',
  title: 'WooCommerce orders',
  kind: 'orders',
  separator: 'point',
  groupBy: 'number',
  columns: [
    column('number', 'order_number', 'order_id'),
    column('created_at', 'date', 'order_date'),
    column('status', 'status'),
    column('shipping', 'shipping_total'),
    column('tax', 'tax_total'),
    column('discount', 'discount_total'),
    column('fees', 'fee_total'),
    column('total', 'order_total'),
    column('refunded', 'refunded_total', 'total_refunded', 'refunded', 'refund_total'),
    column('refunds', 'refunds'),
    column('paid_at', 'paid_date', 'date_paid'),
    column('payment_method', 'payment_method', 'payment_method_title'),
    column('payment_reference', 'transaction_id'),
    column('currency', 'order_currency'),
    column('shipping_method', 'shipping_method'),
    column('billing_first_name', 'billing_first_name'),
    column('billing_last_name', 'billing_last_name'),
    column('email', 'billing_email', 'customer_email'),
    column('phone', 'billing_phone'),
    column('billing_address', 'billing_address_1'),
    column('billing_city', 'billing_city'),
    column('billing_state', 'billing_state'),
    column('billing_zip', 'billing_postcode'),
    column('billing_country', 'billing_country'),
    column('billing_address_2', 'billing_address_2'),
    column('shipping_first_name', 'shipping_first_name'),
    column('shipping_last_name', 'shipping_last_name'),
    column('shipping_address', 'shipping_address_1'),
    column('shipping_address_2', 'shipping_address_2'),
    column('shipping_city', 'shipping_city'),
    column('shipping_state', 'shipping_state'),
    column('shipping_zip', 'shipping_postcode'),
    column('shipping_country', 'shipping_country'),
    column('note', 'customer_note'),
    column('item_name', 'item_name'),
    column('item_sku', 'item_sku'),
    column('item_qty', 'item_quantity'),
    column('item_subtotal', 'item_subtotal', 'item_total'),
    column('promo_code', 'coupons', 'coupon_items'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    const status = fields.status?.toLowerCase().replace(/^wc-/, '');
    if (status !== undefined) next.status = STATUSES.get(status) ?? status;
    const paid = paymentStatusOf(status, fields);
    if (paid !== undefined) next.payment_status = paid;
    // code:summer|amount:5.00
    const coupon = fields.promo_code ?? '';
    const code = (/code:([^|;]+)/.exec(coupon) ?? /^([^|:;]+)/.exec(coupon))?.[1];
    if (code !== undefined) next.promo_code = code;
    for (const side of ['billing', 'shipping'] as const) {
      const name = joined(' ', fields[`${side}_first_name`], fields[`${side}_last_name`]);
      if (name !== '') next[`${side}_name`] = name;
      const address = joined(', ', fields[`${side}_address`], fields[`${side}_address_2`]);
      if (address !== '') next[`${side}_address`] = address;
    }
    return next;
  },
};

/** Orders that are paid on delivery are processed and shipped before. A refund shows that an order was paid, whatever its status is. */
function paymentStatusOf(
  status: string | undefined,
  { paid_at, payment_method }: Fields,
): 'paid' | 'refunded' | undefined {
  if (status === 'refunded') return 'refunded';
  if (paid_at !== undefined || status === 'completed') return 'paid';
  const isPaid = (status === 'processing' || status === 'shipped') && payment_method?.toLowerCase() !== 'cod';
  return isPaid ? 'paid' : undefined;
}

function joined(by: string, ...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(by);
}
