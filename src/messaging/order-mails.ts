import { mail, type SystemMail } from './account-mails.ts';
import type { Language } from './consent/languages.ts';

/** Messages that lead buyers to what they order. */
export const ORDER_MAILS = ['pay_link', 'order_link'] as const;
export type OrderMail = (typeof ORDER_MAILS)[number];

const PAY = '<a href="{{ pay_url }}">{{ pay_url }}</a>';
const ORDER = '<a href="{{ order_url }}">{{ order_url }}</a>';
const TOTAL = '{{ total | money: currency, language }}';

/** Liquid. Must not contain anything that a visitor entered, or the mails could be made to say anything to anyone. */
const MAILS: Record<Language, Record<OrderMail, SystemMail>> = {
  en: {
    pay_link: mail('en', 'Pay for your order at {{ company.name }}', [
      `Please pay ${TOTAL} for your order at {{ company.name }}. You can see it and pay here:`,
      PAY,
      'Please do not pass this link on.',
    ]),
    order_link: mail('en', 'Your order {{ order_id }} at {{ company.name }}', [
      'Somebody, probably you, asked for the link to your order at {{ company.name }}:',
      ORDER,
      'If you did not ask for it, do nothing, and do not pass it on.',
    ]),
  },
  de: {
    pay_link: mail('de', 'Ihre Bestellung bei {{ company.name }} bezahlen', [
      `Bitte bezahlen Sie ${TOTAL} für Ihre Bestellung bei {{ company.name }}. Hier können Sie sie ansehen und bezahlen:`,
      PAY,
      'Bitte geben Sie diesen Link nicht weiter.',
    ]),
    order_link: mail('de', 'Ihre Bestellung {{ order_id }} bei {{ company.name }}', [
      'Jemand, vermutlich Sie, hat nach dem Link zu Ihrer Bestellung bei {{ company.name }} gefragt:',
      ORDER,
      'Wenn Sie das nicht waren, müssen Sie nichts tun. Geben Sie den Link nicht weiter.',
    ]),
  },
};

/** Undefined if the template is none of them. */
export function orderMail(template: string, language: Language): SystemMail | undefined {
  const known = ORDER_MAILS.find((one) => one === template);
  return known === undefined ? undefined : MAILS[language][known];
}
