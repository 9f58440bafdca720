import { column, type Fields, type Format } from './format.ts';

/** Orders → Export, one row per line item; the first row of an order contains the order itself. */
export const shopifyOrders: Format = {
  name: 'shopify-orders',
  title: 'Shopify orders',
  kind: 'orders',
  separator: 'point',
  groupBy: 'number',
  columns: [
    column('number', 'Name'),
    column('email', 'Email'),
    column('payment_status', 'Financial Status'),
    column('paid_at', 'Paid at'),
    column('fulfillment_status', 'Fulfillment Status'),
    column('email_consent', 'Accepts Marketing'),
    column('currency', 'Currency'),
    column('shipping', 'Shipping'),
    column('tax', 'Taxes'),
    column('total', 'Total'),
    column('promo_code', 'Discount Code'),
    column('discount', 'Discount Amount'),
    column('shipping_method', 'Shipping Method'),
    column('created_at', 'Created at'),
    column('item_qty', 'Lineitem quantity'),
    column('item_name', 'Lineitem name'),
    column('item_price', 'Lineitem price'),
    column('item_sku', 'Lineitem sku'),
    column('billing_name', 'Billing Name'),
    column('billing_address', 'Billing Street', 'Billing Address1'),
    column('billing_city', 'Billing City'),
    column('billing_state', 'Billing Province'),
    column('billing_zip', 'Billing Zip'),
    column('billing_country', 'Billing Country'),
    column('phone', 'Phone'),
    column('billing_phone', 'Billing Phone'),
    column('shipping_phone', 'Shipping Phone'),
    column('shipping_name', 'Shipping Name'),
    column('shipping_address', 'Shipping Street', 'Shipping Address1'),
    column('shipping_city', 'Shipping City'),
    column('shipping_state', 'Shipping Province'),
    column('shipping_zip', 'Shipping Zip'),
    column('shipping_country', 'Shipping Country'),
    column('note', 'Notes'),
    column('cancelled_at', 'Cancelled at'),
    column('refunded', 'Refunded Amount'),
    column('outstanding', 'Outstanding Balance'),
    column('payment_method', 'Payment Method'),
    column('payment_reference', 'Payment Reference'),
    column('source_id', 'Id'),
    column('tax_name', 'Tax 1 Name'),
  ],
  read(fields: Fields): Fields {
    if (fields.total === undefined && fields.email === undefined) return fields;
    const { payment_status: paid = '', fulfillment_status: sent = '', billing_zip, shipping_zip } = fields;
    const next: Fields = { ...fields, status: statusOf(fields.cancelled_at, paid.toLowerCase(), sent.toLowerCase()) };
    // Shopify writes an apostrophe before postal codes, so that spreadsheets keep their leading zeros.
    if (billing_zip !== undefined) next.billing_zip = billing_zip.replace(/^'/, '');
    if (shipping_zip !== undefined) next.shipping_zip = shipping_zip.replace(/^'/, '');
    const phone = fields.phone ?? fields.billing_phone ?? fields.shipping_phone;
    if (phone !== undefined) next.phone = phone;
    return next;
  },
};

function statusOf(cancelledAt: string | undefined, paid: string, sent: string): string {
  const isOver = cancelledAt !== undefined || ['voided', 'expired', 'refunded'].includes(paid) || sent === 'restocked';
  if (isOver) return 'cancelled';
  if (sent === 'fulfilled') return 'delivered';
  return paid === 'pending' ? 'pending' : 'processing';
}
