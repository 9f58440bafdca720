import type { Language } from '../consent/languages.ts';
import type { NoticeKind } from './kinds.ts';

const WORDS: Record<Language, { order: string; subscription: string; stock: string }> = {
  en: { order: 'Order', subscription: 'Subscription', stock: 'in stock' },
  de: { order: 'Bestellung', subscription: 'Abo', stock: 'auf Lager' },
};

/** Names one notice. */
export function lineOf(
  language: Language,
  kind: NoticeKind,
  record: number | null,
  { amount, currency, name, stock }: Record<string, unknown>,
): string {
  const words = WORDS[language];
  if (kind === 'low_stock') return `${name}: ${stock} ${words.stock}`;
  const money = new Intl.NumberFormat(language, { style: 'currency', currency: String(currency) }).format(
    Number(amount),
  );
  return `${kind === 'renewal_failed' ? words.subscription : words.order} ${record}: ${money}`;
}

const CHANGE = {
  en: 'You choose in the admin app what you are told of: <a href="{{ url }}">Notices</a>',
  de: 'In der Admin-App wählen Sie, worüber Sie benachrichtigt werden: <a href="{{ url }}">Benachrichtigungen</a>',
};

const MORE = {
  en: '{% if more > 0 %}<p>And {{ more }} more.</p>{% endif %}',
  de: '{% if more > 0 %}<p>Und {{ more }} weitere.</p>{% endif %}',
};

/** Liquid, by kind: one, several. */
const SUBJECTS: Record<Language, string> = {
  en: `{% case kind %}{% when 'new_order' %}{% if count == 1 %}New order{% else %}{{ count }} new orders{% endif %}{% when 'low_stock' %}{% if count == 1 %}A product is low in stock{% else %}{{ count }} products are low in stock{% endif %}{% when 'dispute' %}{% if count == 1 %}A payment is disputed{% else %}{{ count }} payments are disputed{% endif %}{% else %}{% if count == 1 %}A renewal payment failed{% else %}{{ count }} renewal payments failed{% endif %}{% endcase %} – {{ shop.name }}`,
  de: `{% case kind %}{% when 'new_order' %}{% if count == 1 %}Neue Bestellung{% else %}{{ count }} neue Bestellungen{% endif %}{% when 'low_stock' %}{% if count == 1 %}Ein Produkt wird knapp{% else %}{{ count }} Produkte werden knapp{% endif %}{% when 'dispute' %}{% if count == 1 %}Eine Zahlung wird angefochten{% else %}{{ count }} Zahlungen werden angefochten{% endif %}{% else %}{% if count == 1 %}Die Zahlung einer Verlängerung ist gescheitert{% else %}{{ count }} Zahlungen von Verlängerungen sind gescheitert{% endif %}{% endcase %} – {{ shop.name }}`,
};

export function staffNoticeMail(language: Language): { subject: string; content: string } {
  const content = `<!doctype html><html lang="${language}"><body style="font-family: sans-serif">
<ul>{% for line in lines %}<li><a href="{{ line.url }}">{{ line.text }}</a></li>{% endfor %}</ul>
${MORE[language]}
<p>${CHANGE[language]}</p>
</body></html>`;
  return { subject: SUBJECTS[language], content };
}
