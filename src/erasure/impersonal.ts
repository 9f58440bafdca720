/**
 * Fields of the shop's events that are not personal. Only these are kept of an erased customer's events; a field that is missing here
 * counts as personal.
 */
export const IMPERSONAL_FIELDS = [
  ...['order_id', 'customer_id', 'merged_customer_id', 'subscription_id', 'location_id', 'product_id', 'frequency_id'],
  ...['cart_id', 'payment_id', 'refund_id', 'method', 'amount', 'reference', 'due_on', 'instructions'],
  ...[
    'total',
    'cart_total',
    'subtotal',
    'discount',
    'shipping',
    'tax',
    'currency',
    'promo_code',
    'is_subscription',
    'items',
    'shipping_method',
    'plan',
    'quantity',
    'product_name',
    'parent_id',
    'price',
    'image',
  ],
  ...['next_billing_date', 'cycle_date', 'points', 'balance', 'current_balance', 'lifetime_points', 'tier'],
];
