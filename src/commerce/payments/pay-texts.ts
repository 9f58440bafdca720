import type { Language } from '../../messaging/consent/languages.ts';
import type { PayKind } from './pay-links.ts';
import type { PayBill, PayProblem } from './pay-view.ts';

interface PayTexts {
  title: string;
  /** `shop` is the shop's name. */
  from: (shop: string) => string;
  product: string;
  amount: string;
  units: (qty: number) => string;
  sum: Record<PayBill['sums'][number]['kind'] | 'total', string>;
  choose: string;
  free: string;
  noMethods: (shop: string) => string;
  button: Record<PayKind, string>;
  waiting: (amount: string, method: string) => string;
  reference: string;
  due: string;
  otherMethod: string;
  /** `method` is the name of a method by which the buyer has begun to pay. */
  underWay: (method: string) => string;
  /** The service has not told the outcome yet. */
  processing: (method: string) => string;
  lookAgain: string;
  /** What a card needs that the browser lacks. */
  needsScripts: string;
  failed: string;
  placed: (order: number) => string;
  /** For an order whose money is still to come. */
  payBy: (amount: string, method: string) => string;
  closed: (shop: string) => string;
  expired: (shop: string) => string;
  /** `total` is the present one. */
  problem: Record<PayProblem, (shop: string, total: string) => string>;
  line: { out_of_stock: string; not_sold: string };
  tooMany: { title: string; text: string; back: string };
}

const ENGLISH: PayTexts = {
  title: 'Your order',
  from: (shop) => `At ${shop}`,
  product: 'Product',
  amount: 'Amount',
  units: (qty) => `Quantity: ${qty}`,
  sum: {
    subtotal: 'Subtotal',
    discount: 'Discount',
    shipping: 'Shipping',
    tax: 'Tax',
    tax_included: 'Included tax',
    paid: 'Already paid',
    total: 'Total',
  },
  choose: 'How would you like to pay?',
  free: 'There is nothing to pay.',
  noMethods: (shop) => `This cannot be paid here. Please contact ${shop}.`,
  button: { cart: 'Place order and pay', order: 'Pay now' },
  waiting: (amount, method) =>
    `Please pay ${amount}. Payment method: ${method}. We will send your order once the money has arrived.`,
  reference: 'Payment reference',
  due: 'Please pay by',
  otherMethod: 'Choose another payment method',
  underWay: (method) => `Your payment is not complete yet. Payment method: ${method}.`,
  processing: (method) => `Your payment is being processed. Payment method: ${method}.`,
  lookAgain: 'Check again',
  needsScripts: 'To pay by card, allow JavaScript and scripts of Stripe on this page.',
  failed: 'This did not work. Please try again.',
  placed: (order) => `Thank you. Your order number is ${order}.`,
  payBy: (amount, method) => `Amount: ${amount}. Payment method: ${method}.`,
  closed: (shop) => `This order can no longer be paid. If you still want it, please contact ${shop}.`,
  expired: (shop) => `This link has expired. Please ask ${shop} for a new one.`,
  problem: {
    out_of_stock: (shop) => `Some products are no longer available in this quantity. Please contact ${shop}.`,
    not_sold: (shop) => `Some products are no longer sold. Please contact ${shop}.`,
    shipping: (shop) => `We cannot ship to the address of this order. Please contact ${shop}.`,
    promo: (shop) => `The promo code of this order cannot be used any more. Please contact ${shop}.`,
    points: (shop) => `The points of this order cannot be redeemed. Please contact ${shop}.`,
    incomplete: (shop) => `This order is not complete yet. Please contact ${shop}.`,
    method: () => 'This payment method is not available. Please choose another one.',
    total_changed: (_shop, total) => `The total has changed to ${total}. Please check your order, and pay again.`,
    declined: () => 'Your payment was declined. Please try again, or choose another payment method.',
    in_progress: () => 'A payment has begun already. It has to end before you can choose another payment method.',
    other: (shop) => `The order cannot be placed as it is. Please contact ${shop}.`,
  },
  line: { out_of_stock: 'Not available in this quantity', not_sold: 'No longer sold' },
  tooMany: { title: 'Too many attempts', text: 'Please try again later.', back: 'Back to the payment' },
};

const GERMAN: PayTexts = {
  title: 'Ihre Bestellung',
  from: (shop) => `Bei ${shop}`,
  product: 'Artikel',
  amount: 'Betrag',
  units: (qty) => `Menge: ${qty}`,
  sum: {
    subtotal: 'Zwischensumme',
    discount: 'Rabatt',
    shipping: 'Versand',
    tax: 'Steuer',
    tax_included: 'Darin enthaltene Steuer',
    paid: 'Bereits bezahlt',
    total: 'Gesamtbetrag',
  },
  choose: 'Wie möchten Sie bezahlen?',
  free: 'Es ist nichts zu bezahlen.',
  noMethods: (shop) => `Hier kann nicht bezahlt werden. Bitte wenden Sie sich an ${shop}.`,
  button: { cart: 'Zahlungspflichtig bestellen', order: 'Jetzt bezahlen' },
  waiting: (amount, method) =>
    `Bitte zahlen Sie ${amount}. Zahlungsart: ${method}. Wir versenden Ihre Bestellung, sobald das Geld eingegangen ist.`,
  reference: 'Verwendungszweck',
  due: 'Bitte zahlen bis',
  otherMethod: 'Andere Zahlungsart wählen',
  underWay: (method) => `Ihre Zahlung ist noch nicht abgeschlossen. Zahlungsart: ${method}.`,
  processing: (method) => `Ihre Zahlung wird bearbeitet. Zahlungsart: ${method}.`,
  lookAgain: 'Erneut prüfen',
  needsScripts: 'Um mit Karte zu bezahlen, erlauben Sie auf dieser Seite JavaScript und Skripte von Stripe.',
  failed: 'Das hat nicht funktioniert. Bitte versuchen Sie es noch einmal.',
  placed: (order) => `Vielen Dank. Ihre Bestellnummer ist ${order}.`,
  payBy: (amount, method) => `Betrag: ${amount}. Zahlungsart: ${method}.`,
  closed: (shop) =>
    `Diese Bestellung kann nicht mehr bezahlt werden. Wenn Sie sie noch wünschen, wenden Sie sich bitte an ${shop}.`,
  expired: (shop) => `Dieser Link ist abgelaufen. Bitte fragen Sie ${shop} nach einem neuen.`,
  problem: {
    out_of_stock: (shop) =>
      `Einige Artikel sind nicht mehr in dieser Menge verfügbar. Bitte wenden Sie sich an ${shop}.`,
    not_sold: (shop) => `Einige Artikel werden nicht mehr verkauft. Bitte wenden Sie sich an ${shop}.`,
    shipping: (shop) => `An die Adresse dieser Bestellung können wir nicht liefern. Bitte wenden Sie sich an ${shop}.`,
    promo: (shop) => `Der Gutscheincode dieser Bestellung gilt nicht mehr. Bitte wenden Sie sich an ${shop}.`,
    points: (shop) => `Die Punkte dieser Bestellung können nicht eingelöst werden. Bitte wenden Sie sich an ${shop}.`,
    incomplete: (shop) => `Diese Bestellung ist noch nicht vollständig. Bitte wenden Sie sich an ${shop}.`,
    method: () => 'Diese Zahlungsart ist nicht verfügbar. Bitte wählen Sie eine andere.',
    total_changed: (_shop, total) =>
      `Der Gesamtbetrag hat sich auf ${total} geändert. Bitte prüfen Sie Ihre Bestellung und bestätigen Sie sie noch einmal.`,
    declined: () =>
      'Ihre Zahlung wurde abgelehnt. Bitte versuchen Sie es noch einmal, oder wählen Sie eine andere Zahlungsart.',
    in_progress: () =>
      'Eine Zahlung hat schon begonnen. Sie muss enden, bevor Sie eine andere Zahlungsart wählen können.',
    other: (shop) => `So kann die Bestellung nicht aufgegeben werden. Bitte wenden Sie sich an ${shop}.`,
  },
  line: { out_of_stock: 'Nicht in dieser Menge verfügbar', not_sold: 'Wird nicht mehr verkauft' },
  tooMany: {
    title: 'Zu viele Versuche',
    text: 'Bitte versuchen Sie es später noch einmal.',
    back: 'Zurück zur Zahlung',
  },
};

const TEXTS: Record<Language, PayTexts> = { en: ENGLISH, de: GERMAN };

export function payTexts(language: Language): PayTexts {
  return TEXTS[language];
}
