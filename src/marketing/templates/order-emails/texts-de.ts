import type { OrderTexts } from './texts.ts';

const amount = (of: string): string => `{{ ${of} | money: order.currency, "de" }}`;

export const DE: OrderTexts = {
  emails: {
    payment: {
      name: 'Payment reminder (German)',
      subject: 'So bezahlen Sie Ihre Bestellung{% if event.reference %}: {{ event.reference }}{% endif %}',
      preview: 'Sobald Ihre Zahlung eingegangen ist, nehmen wir Ihre Bestellung auf.',
      title: 'Ihre Zahlung ist noch offen',
      message:
        'wir haben Ihre Produkte zurückgelegt. Bitte zahlen Sie **{{ event.amount | money: event.currency, "de" }}**{% if event.due_on %} bis zum **{{ event.due_on }}**{% endif %}. Sobald Ihre Zahlung eingegangen ist, nehmen wir Ihre Bestellung auf.',
    },
    received: {
      name: 'Order received (German)',
      subject: 'Wir haben Ihre Bestellung {{ order.order_id }} erhalten',
      preview: 'Vielen Dank für Ihre Bestellung.',
      title: 'Vielen Dank für Ihre Bestellung',
      message:
        'wir haben Ihre Bestellung **{{ order.order_id }}** erhalten. Sobald sie unterwegs ist, schreiben wir Ihnen wieder.',
    },
    shipped: {
      name: 'Order shipped (German)',
      subject: 'Ihre Bestellung {{ order.order_id }} ist unterwegs',
      preview:
        '{% if order.tracking_number %}Sendungsnummer {{ order.tracking_number }}{% else %}Wir haben Ihr Paket versandt.{% endif %}',
      title: 'Ihre Bestellung ist unterwegs',
      message: 'wir haben Ihre Bestellung **{{ order.order_id }}** versandt.',
    },
    delivered: {
      name: 'Order delivered (German)',
      subject: 'Ihre Bestellung {{ order.order_id }} wurde zugestellt',
      preview: 'Wir wünschen Ihnen viel Freude damit.',
      title: 'Ihre Bestellung wurde zugestellt',
      message:
        'Ihre Bestellung **{{ order.order_id }}** wurde zugestellt. Wir wünschen Ihnen viel Freude damit.\n\nFalls etwas fehlt oder beschädigt ist, antworten Sie bitte auf diese E-Mail.',
    },
    cancelled: {
      name: 'Order cancelled (German)',
      subject: 'Ihre Bestellung {{ order.order_id }} wurde storniert',
      preview: 'Sie wird nicht versandt.',
      title: 'Ihre Bestellung wurde storniert',
      message:
        'Ihre Bestellung **{{ order.order_id }}** wurde storniert und wird nicht versandt.\n\nFalls Sie damit nicht gerechnet haben, antworten Sie bitte auf diese E-Mail.',
    },
  },
  greeting: 'Guten Tag{% if contact.first_name %} {{ contact.first_name }}{% endif %},',
  payment: [
    'Zahlungsart: {{ event.method }}',
    '{% if event.reference %}Verwendungszweck: **{{ event.reference }}**',
    '{% endif %}{% if event.instructions %}',
    '{{ event.instructions }}{% endif %}',
  ].join('\n'),
  parcel: [
    '{% if order.tracking_number %}Sendungsnummer: **{{ order.tracking_number }}**',
    '{% endif %}{% if order.carrier %}Versand durch: **{{ order.carrier }}**{% endif %}',
  ].join('\n'),
  lines: [
    `{% for item in order.items %}{{ item.quantity }} × {{ item.name }}: ${amount('item.price | times: item.quantity')}`,
    '{% endfor %}',
  ].join('\n'),
  totals: [
    `Zwischensumme: ${amount('order.subtotal')}`,
    `{% if order.discount > 0 %}Rabatt{% if order.promo_code %} ({{ order.promo_code }}){% endif %}: −${amount('order.discount')}`,
    `{% endif %}Versand{% if order.shipping_method %} ({{ order.shipping_method }}){% endif %}: ${amount('order.shipping')}`,
    `{% if order.tax > 0 %}Steuern: ${amount('order.tax')}`,
    `{% endif %}**Gesamtsumme: ${amount('order.total')}**`,
  ].join('\n'),
  addressHeading: 'Lieferadresse',
  address: [
    '{{ order.first_name }} {{ order.last_name }}',
    '{{ order.shipping_address }}',
    '{{ order.shipping_zip }} {{ order.shipping_city }}{% if order.shipping_state != "" %}, {{ order.shipping_state }}{% endif %}',
    '{{ order.shipping_country }}',
  ].join('\n'),
};
