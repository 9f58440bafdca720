import { language, type TextKey, t, tOf } from '../i18n/i18n.ts';
import { useFormat } from '../ui/format.tsx';
import type { Offer } from './offer.ts';
import type { Words } from './sentence.ts';
import './texts.ts';

/** A text of the builder, whose key is composed. */
export function say(key: string, values?: Record<string, unknown>): string {
  return t(`rule.${key}` as TextKey, values);
}

/** Capitalises the first letter. */
export function capital(text: string): string {
  return `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}`;
}

/** The parts of sentences in the person's language. */
export function useWords({ lists, collections, customFields }: Offer, products: ReadonlyMap<number, string>): Words {
  const format = useFormat();
  return {
    say,
    customFields,
    sayOf: tOf,
    number: format.number,
    money: (value) => format.money(value),
    day: format.day,
    list: (id) => lists.find(({ list_id }) => String(list_id) === id)?.name ?? `#${id}`,
    collection: (id) => collections.find((one) => String(one.id) === id)?.name ?? `#${id}`,
    product: (id) => products.get(Number(id)) ?? `#${id}`,
    join: (parts, operator) =>
      new Intl.ListFormat(language(), { type: operator === 'or' ? 'disjunction' : 'conjunction' }).format(parts),
  };
}
