import type { OrderTexts } from './texts.ts';

const amount = (of: string): string => `{{ ${of} | money: order.currency }}`;

export const EN: OrderTexts = {
  emails: {
    payment: {
      name: 'Payment reminder',
      subject: 'How to pay for your order{% if event.reference %}: {{ event.reference }}{% endif %}',
      preview: 'We place your order as soon as your payment has arrived.',
      title: 'Your payment is still open',
      message:
        'We have set your products aside. Please pay **{{ event.amount | money: event.currency }}**{% if event.due_on %} by **{{ event.due_on }}**{% endif %}. We place your order as soon as your payment has arrived.',
    },
    received: {
      name: 'Order received',
      subject: 'We have received your order {{ order.order_id }}',
      preview: 'Thank you for your order.',
      title: 'Thank you for your order',
      message:
        'We have received your order **{{ order.order_id }}**. You will get another e-mail as soon as it is on its way.',
    },
    shipped: {
      name: 'Order shipped',
      subject: 'Your order {{ order.order_id }} is on its way',
      preview:
        '{% if order.tracking_number %}Tracking number {{ order.tracking_number }}{% else %}Your parcel has left us.{% endif %}',
      title: 'Your order is on its way',
      message: 'We have shipped your order **{{ order.order_id }}**.',
    },
    delivered: {
      name: 'Order delivered',
      subject: 'Your order {{ order.order_id }} has been delivered',
      preview: 'We hope that you enjoy it.',
      title: 'Your order has been delivered',
      message:
        'Your order **{{ order.order_id }}** has been delivered. We hope that you enjoy it.\n\nIf something is missing or damaged, please reply to this e-mail.',
    },
    cancelled: {
      name: 'Order cancelled',
      subject: 'Your order {{ order.order_id }} has been cancelled',
      preview: 'It will not be shipped.',
      title: 'Your order has been cancelled',
      message:
        'Your order **{{ order.order_id }}** has been cancelled and will not be shipped.\n\nIf you did not expect this, please reply to this e-mail.',
    },
  },
  greeting: 'Hello{% if contact.first_name %} {{ contact.first_name }}{% endif %},',
  payment: [
    'Payment method: {{ event.method }}',
    '{% if event.reference %}Reference: **{{ event.reference }}**',
    '{% endif %}{% if event.instructions %}',
    '{{ event.instructions }}{% endif %}',
  ].join('\n'),
  parcel: [
    '{% if order.tracking_number %}Tracking number: **{{ order.tracking_number }}**',
    '{% endif %}{% if order.carrier %}Carrier: **{{ order.carrier }}**{% endif %}',
  ].join('\n'),
  lines: [
    `{% for item in order.items %}{{ item.quantity }} × {{ item.name }}: ${amount('item.price | times: item.quantity')}`,
    '{% endfor %}',
  ].join('\n'),
  totals: [
    `Subtotal: ${amount('order.subtotal')}`,
    `{% if order.discount > 0 %}Discount{% if order.promo_code %} ({{ order.promo_code }}){% endif %}: −${amount('order.discount')}`,
    `{% endif %}Shipping{% if order.shipping_method %} ({{ order.shipping_method }}){% endif %}: ${amount('order.shipping')}`,
    `{% if order.tax > 0 %}Tax: ${amount('order.tax')}`,
    `{% endif %}**Total: ${amount('order.total')}**`,
  ].join('\n'),
  addressHeading: 'Shipping address',
  address: [
    '{{ order.first_name }} {{ order.last_name }}',
    '{{ order.shipping_address }}',
    '{{ order.shipping_city }}{% if order.shipping_state != "" %}, {{ order.shipping_state }}{% endif %} {{ order.shipping_zip }}',
    '{{ order.shipping_country }}',
  ].join('\n'),
};
